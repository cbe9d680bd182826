/** `serverUrl` with another database, and the same server, role and options. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${encodeURIComponent(database)}`
  return url.href
}

/** The address, as `host:port`, of a pooler in transaction mode before the server. It must accept every database. */
const variable = 'TEST_DATABASE_POOLER'

/** Whether the code under test reaches its database through a pooler in transaction mode. */
export function isPooled(): boolean {
  return (process.env[variable] ?? '') !== ''
}

/** The URL by which the code under test reaches a database: through the pooler, if there is one. */
export function pooledUrl(directUrl: string): string {
  if (!isPooled()) return directUrl
  const url = new URL(directUrl)
  url.host = process.env[variable] ?? ''
  return url.href
}

/** Whether to skip tests because they run behind a pooler. Writes the reason to stderr then. */
export function skippedBehindPooler(reason: string): boolean {
  if (isPooled()) process.stderr.write(`skipped behind a pooler: ${reason}\n`)
  return isPooled()
}
