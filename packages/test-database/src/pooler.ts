import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { answersQueries, eventually, freePort } from '@queue/dev-postgres'

/** A PgBouncer in transaction mode: two transactions of one client may run on different connections. */
export interface Pooler {
  /** Its address, as `host:port`. */
  readonly address: string
  /** The URL of a database through the pooler. */
  urlOf(databaseUrl: string): string
  close(): Promise<void>
}

const programs = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer']

/** The path of PgBouncer; undefined if it is not installed. */
export async function findPgBouncer(): Promise<string | undefined> {
  for (const program of programs) {
    if (
      await access(program).then(
        () => true,
        () => false,
      )
    )
      return program
  }
  return undefined
}

/** A small number, so that clients share connections. */
const serverConnectionsDefault = 8
const clientConnectionsMax = 500

interface Config {
  readonly serverUrl: URL
  readonly port: number
  readonly usersFile: string
  readonly serverConnections: number
}

function configOf({ serverUrl, port, usersFile, serverConnections }: Config): string {
  return `[databases]
* = host=${serverUrl.hostname} port=${serverUrl.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${usersFile}
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = ${clientConnectionsMax}
ignore_startup_parameters = extra_float_digits
server_reset_query_always = 0
log_connections = 0
log_disconnections = 0
`
}

/** PgBouncer refuses to run as root, so it runs as this account then. */
const nobody = { uid: 65_534, gid: 65_534 }

export interface PoolerOptions {
  /** The connections to each database, which is also how many transactions can be open at once. */
  readonly serverConnections?: number
}

/** Starts PgBouncer in front of the server at `serverUrl`, and waits until a query through it succeeds. */
export async function startPooler(
  program: string,
  serverUrl: string,
  { serverConnections = serverConnectionsDefault }: PoolerOptions = {},
): Promise<Pooler> {
  const server = new URL(serverUrl)
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-pooler-'))
  const port = await freePort()
  const usersFile = path.join(directory, 'users.txt')
  const configFile = path.join(directory, 'pgbouncer.ini')
  await writeFile(usersFile, `"${server.username}" "${decodeURIComponent(server.password)}"\n`)
  await writeFile(configFile, configOf({ serverUrl: server, port, usersFile, serverConnections }))
  for (const file of [usersFile, configFile]) await chmod(file, 0o644)
  await chmod(directory, 0o755)
  const account = process.getuid?.() === 0 ? nobody : {}
  const child = spawn(program, ['-q', configFile], { ...account, stdio: ['ignore', 'ignore', 'inherit'] })
  const urlOf = (databaseUrl: string): string => {
    const url = new URL(databaseUrl)
    url.host = `127.0.0.1:${port}`
    return url.href
  }
  try {
    await eventually(() => answers(urlOf(serverUrl), child), { intervalMs: 50 })
  } catch (error) {
    await end(child, directory)
    throw error
  }
  return { address: new URL(urlOf(serverUrl)).host, urlOf, close: () => end(child, directory) }
}

function answers(url: string, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`PgBouncer exited with code ${child.exitCode} at its start`)
  return answersQueries(url)
}

async function end(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await rm(directory, { recursive: true, force: true })
}
