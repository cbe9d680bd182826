import pg from 'pg'

/** Runs `work` on a connection of its own, which is closed afterwards. */
export async function withMaintenanceClient<T>(
  serverUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 10_000 })
  // Without a listener, a connection that breaks while idle would end the process. A query on it fails by itself.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
