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
