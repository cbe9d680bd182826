/** The address, as `host:port`, of a pooler in transaction mode before the server. It must accept every database. */
const variable = 'TEST_DATABASE_POOLER'

/** Whether the code under test reaches its database through a pooler in transaction mode. */
export function isPooled(): boolean {
  return (process.env[variable] ?? '') !== ''
}

/** The URL by which the code under test reaches a database: through the pooler, if there is one. */
export function pooledUrl(databaseUrl: string): string {
  if (!isPooled()) return databaseUrl
  const url = new URL(databaseUrl)
  url.host = process.env[variable] ?? ''
  return url.href
}

/** Whether to skip tests because they run behind a pooler. Writes the reason to stderr then. */
export function skippedBehindPooler(reason: string): boolean {
  if (isPooled()) process.stderr.write(`skipped behind a pooler: ${reason}\n`)
  return isPooled()
}
