import { connectClient, type EmbeddedPostgres, startEmbeddedPostgres } from '@queue/dev-postgres'

/** Two servers of which one takes writes, and a way to exchange their parts, as a failover does. */
export interface TwoServers {
  readonly first: EmbeddedPostgres
  readonly second: EmbeddedPostgres
  /** From now on only these take writes. Connections stay open, as on a primary that was demoted. */
  setWritable(...writable: readonly EmbeddedPostgres[]): Promise<void>
  close(): Promise<void>
}

const password = 'of-both'

/** The first one takes writes to begin with. `url` names both, in their order. */
export async function startTwoServers(): Promise<TwoServers & { readonly url: string }> {
  const [first, second] = await Promise.all([startEmbeddedPostgres(), startEmbeddedPostgres()])
  const servers = [first, second]
  for (const server of servers) await execute(server.url, `ALTER ROLE postgres PASSWORD '${password}'`)
  const setWritable = async (...writable: readonly EmbeddedPostgres[]): Promise<void> => {
    for (const server of servers) {
      const value = writable.includes(server) ? 'off' : 'on'
      await execute(urlOf([server.port]), `ALTER SYSTEM SET default_transaction_read_only = ${value}`)
      await execute(urlOf([server.port]), 'SELECT pg_reload_conf()')
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

/** The servers at these ports, by one URL. */
export function urlOf(ports: readonly number[]): string {
  return `postgres://postgres:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`
}

async function execute(url: string, text: string): Promise<void> {
  const client = await connectClient(url)
  await client.query(text)
  await client.end()
}
