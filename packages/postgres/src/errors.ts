/** The error codes of this package. Packages that build on it add their own. */
export const postgresErrorCodes = [
  'refused',
  'invalid_options',
  'database_unavailable',
  'schema_mismatch',
  'migration_failed',
] as const

export type PostgresErrorCode = (typeof postgresErrorCodes)[number]

/**
 * A refused or failed operation. `code` is one of the closed list of the package that throws it; `message` says what to do
 * and reveals no SQL.
 */
export class QueueError<Code extends string = string> extends Error {
  override readonly name: string = 'QueueError'
  readonly code: Code

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
