import { cpus, release, totalmem, type } from 'node:os'
import pg from 'pg'

/** Describes this machine and its PostgreSQL server in one line. */
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

/** Describes the version, durability settings and location of a server. Throws if it cannot connect. */
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
  if (server === undefined) throw new Error('the server returned no settings')
  const location = server.local ? 'on the same machine' : 'on another machine'
  return `PostgreSQL ${server.version} with fsync ${server.fsync} and synchronous_commit ${server.commit}, ${location}`
}
