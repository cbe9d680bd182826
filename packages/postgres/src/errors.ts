export { QueueError } from '@queue/loop/queue-error'

/** The error codes of this package. Packages that depend on it add their own. */
export const postgresErrorCodes = [
  'refused',
  'invalid_options',
  'database_unavailable',
  'schema_mismatch',
  'migration_failed',
] as const

export type PostgresErrorCode = (typeof postgresErrorCodes)[number]
