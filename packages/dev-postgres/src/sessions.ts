import pg from 'pg'

/** For a server that does not answer, in milliseconds: the error says so. */
const connectMs = 30_000

/** A connected client. If its connection breaks, the process does not end. */
export async function connectClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Runs `work` on a connection of its own. */
export async function onConnection<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The rows of one statement on a connection of its own. */
export function queryRows<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  return onConnection(url, async (client) => (await client.query(text)).rows as Row[])
}

/** A session that has switched to `role`, as if it had logged in as that role. */
export async function sessionAs(url: string, role: string): Promise<pg.Client> {
  const client = await connectClient(url)
  await client.query(`SET SESSION AUTHORIZATION ${pg.escapeIdentifier(role)}`)
  return client
}

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
