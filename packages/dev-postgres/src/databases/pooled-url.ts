/** Where a pooler in transaction mode stands before the server, as `host:port`; it passes on whatever database is named. */
const variable = 'TEST_DATABASE_POOLER'

/** Whether the code under test reaches its database through a pooler in transaction mode. */
export function isPooled(): boolean {
  return (process.env[variable] ?? '') !== ''
}

/** The URL by which the code under test reaches a database: through the pooler where there is one. */
export function pooledUrl(databaseUrl: string): string {
  if (!isPooled()) return databaseUrl
  const url = new URL(databaseUrl)
  url.host = process.env[variable] ?? ''
  return url.href
}

/** Whether tests are to be skipped because they run behind a pooler; tells the reason on stderr then. */
export function skippedBehindPooler(reason: string): boolean {
  if (isPooled()) process.stderr.write(`skipped behind a pooler: ${reason}\n`)
  return isPooled()
}
