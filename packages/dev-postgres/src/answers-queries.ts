import pg from 'pg'

/** Whether a server, or a pooler in front of it, accepts a connection and answers a query. */
export async function answersQueries(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined) // Only what connect or query throws matters.
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}
