import pg from 'pg'

/** Whether a server, or a pooler before one, takes a connection and answers a query. */
export async function answersQueries(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined) // The failure that matters is the one that connect or query throws.
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
