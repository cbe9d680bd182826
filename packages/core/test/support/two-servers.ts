import { connectClient, type EmbeddedPostgres, startEmbeddedPostgres, until } from '@queue/dev-postgres'

/** Two servers, one of which accepts writes, and a way to swap their roles as a failover does. */
export interface TwoServers {
  readonly first: EmbeddedPostgres
  readonly second: EmbeddedPostgres
  /** Makes only these servers accept writes. Connections stay open, as on a primary that was demoted. */
  setWritable(...writable: readonly EmbeddedPostgres[]): Promise<void>
  close(): Promise<void>
}

const password = 'of-both'

/** At first the first server accepts writes. `url` names both servers in their order. */
export async function startTwoServers(): Promise<TwoServers & { readonly url: string }> {
  const [first, second] = await Promise.all([startEmbeddedPostgres(), startEmbeddedPostgres()])
  const servers = [first, second]
  for (const server of servers) await execute(server.url, `ALTER ROLE postgres PASSWORD '${password}'`)
  const setWritable = async (...writable: readonly EmbeddedPostgres[]): Promise<void> => {
    for (const server of servers) {
      const value = writable.includes(server) ? 'off' : 'on'
      const url = urlOf([server.port])
      await execute(url, `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
      await execute(url, 'SELECT pg_reload_conf()')
      // A server reads its settings a moment after it was told to.
      await until('new connections have the setting', async () => {
        const [row] = await execute(url, 'SHOW default_transaction_read_only')
        return row?.['default_transaction_read_only'] === value
      })
    }
  }
  await setWritable(first)
  return {
    first,
    second,
    url: urlOf([first.port, second.port]),
    setWritable,
    close: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

/** One URL for the servers at these ports. */
export function urlOf(ports: readonly number[]): string {
  return `postgres://postgres:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`
}

async function execute(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = await connectClient(url)
  const { rows } = await client.query<Record<string, unknown>>(text)
  await client.end()
  return rows
}
