import { QueueError } from './errors.ts'

/** The options of a connection to the database. */
export const connectionOptions = {
  connectionString: true,
  applicationName: true,
  pool: true,
  schema: true,
  poolMax: true,
  acquireTimeoutMs: true,
  idleTimeoutMs: true,
  queryTimeoutMs: true,
  preparedStatements: true,
} as const

/**
 * Throws `invalid_options` if `options` is no object, or has a member that `known` does not name: a misspelt option would be ignored.
 */
export function assertKnownOptions(
  factory: string,
  options: unknown,
  known: Readonly<Record<string, true>>,
): void {
  if (typeof options !== 'object' || options === null) {
    throw new QueueError('invalid_options', `${factory} takes an object of options, not ${String(options)}`)
  }
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name))
  if (unknown.length === 0) return
  const names = unknown.map((name) => JSON.stringify(name)).join(', ')
  throw new QueueError(
    'invalid_options',
    `${factory} has no option ${names}: it takes ${Object.keys(known).join(', ')}`,
  )
}
