/** The refusals of this package, by their codes. Packages that build on it have codes of their own beside them. */
export const postgresErrorCodes = [
  'refused',
  'invalid_options',
  'database_unavailable',
  'schema_mismatch',
  'migration_failed',
] as const

export type PostgresErrorCode = (typeof postgresErrorCodes)[number]

/**
 * An operation that is refused. `code` is one of a closed list, which each package states for what it throws; `message`
 * says what to do and reveals no SQL.
 */
export class QueueError<Code extends string = string> extends Error {
  override readonly name: string = 'QueueError'
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
