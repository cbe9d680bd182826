import { cpus, release, totalmem, type } from 'node:os'
import pg from 'pg'

/** The machine that figures were measured on, and its server, in one line. */
export async function describeMachine(serverUrl: string): Promise<string> {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  const memoryGib = Math.round(totalmem() / 2 ** 30)
  return [
    `${processors.length} × ${model}`,
    `${memoryGib} GiB`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    await describeServer(serverUrl),
  ].join(', ')
}

/** Version, durability and place of a server. Throws the error of the connection when there is none. */
export async function describeServer(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Record<'version' | 'fsync' | 'commit', string> & { local: boolean }>(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
            current_setting('synchronous_commit') AS commit,
            coalesce(inet_server_addr() = inet_client_addr(), true) AS local`,
  )
  await client.end()
  const [server] = rows
  if (server === undefined) throw new Error('the server did not say what it is')
  const place = server.local ? 'on the same machine' : 'on another machine'
  return `PostgreSQL ${server.version} with fsync ${server.fsync} and synchronous_commit ${server.commit}, ${place}`
}
