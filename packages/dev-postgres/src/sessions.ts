import pg from 'pg'

/** A connected client whose breaking does not end the process. */
export async function connectClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
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

/** The rows of one statement, or of the last of several, on a connection of its own. */
export function queryRows<Row = Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  return onConnection(url, async (client) => (await client.query(text)).rows as Row[])
}

/** A session that has turned into `role`, as if it had logged in so. */
export async function sessionAs(url: string, role: string): Promise<pg.Client> {
  const client = await connectClient(url)
  await client.query(`SET SESSION AUTHORIZATION ${pg.escapeIdentifier(role)}`)
  return client
}
