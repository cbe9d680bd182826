import { execFile } from 'node:child_process'
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import pg from 'pg'

const run = promisify(execFile)

/** Whether a commit waits until the standby has it. */
export type Replication = 'synchronous' | 'asynchronous'

/** A primary, and a standby that follows it by streaming. */
export interface Pair {
  /** One URL for both, the primary first. */
  readonly url: string
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Ends the primary at once, as a machine that is gone. */
  killPrimary(): Promise<void>
  /** Makes the standby take writes; resolves when it does. */
  promote(): Promise<void>
  /** Starts the old primary again, as it was when it was killed. */
  revivePrimary(): Promise<void>
  close(): Promise<void>
}

/** A cluster that was stopped, from which pairs are copied: both sides of a pair begin with the same bytes. */
export interface PairTemplate {
  start(replication: Replication): Promise<Pair>
  close(): Promise<void>
}

const databaseName = 'queue'
const standbyName = 'standby'
/** What a kill must not lose is kept by the operating system, which stays up. */
const settings = { fsync: 'off' }

/** `prepare` makes what both servers are to hold, in the database of its URL. */
export async function createPairTemplate(prepare: (url: string) => Promise<void>): Promise<PairTemplate> {
  const given = await mkdtemp(path.join(tmpdir(), 'queue-chaos-pair-'))
  const server = await startEmbeddedPostgres({ directory: given, persistent: true, settings })
  const { directory } = server
  const { password } = new URL(server.url)
  const directories = [given, directory]
  try {
    await execute(server.url, `CREATE DATABASE ${databaseName}`)
    await prepare(urlOf([server.port], password))
  } finally {
    await server.stop()
  }
  // Beside the template, where the server's account can enter as well.
  const copy = async (): Promise<string> => {
    const to = await mkdtemp(path.join(path.dirname(directory), 'queue-chaos-pair-'))
    directories.push(to)
    // All but the file that says who has the directory.
    for (const part of ['data', 'password']) await run('cp', ['-a', path.join(directory, part), to])
    return to
  }
  return {
    start: async (replication) => startPair({ replication, password, homes: [await copy(), await copy()] }),
    close: async () => {
      for (const one of new Set(directories)) await rm(one, { recursive: true, force: true })
    },
  }
}

interface StartPair {
  readonly replication: Replication
  readonly password: string
  /** Of the primary, and of the standby. */
  readonly homes: readonly [string, string]
}

async function startPair({ replication, password, homes }: StartPair): Promise<Pair> {
  const [home, standbyHome] = homes
  let primary = await startIn(home, { synchronous_standby_names: synchronousNames(replication) })
  const { port } = primary
  const standby = await startStandby(standbyHome, { port, password })
  const [primaryUrl, standbyUrl] = [urlOf([port], password), urlOf([standby.port], password)]
  await eventually(() => isFollowed(primaryUrl, replication))
  return {
    url: urlOf([port, standby.port], password),
    primaryUrl,
    standbyUrl,
    killPrimary: async () => {
      const [pid] = (await readFile(path.join(primary.directory, 'data', 'postmaster.pid'), 'utf8')).split(
        '\n',
      )
      process.kill(Number(pid), 'SIGKILL')
      await primary.ended
      await primary.stop()
    },
    promote: () => execute(standbyUrl, 'SELECT pg_promote(true)'),
    revivePrimary: async () => {
      // On a machine of its own nobody would wait for the standby that has left it.
      primary = await startIn(home, { synchronous_standby_names: '' }, port)
    },
    close: async () => {
      await primary.stop()
      await standby.stop()
    },
  }
}

function startIn(
  directory: string,
  own: Readonly<Record<string, string>>,
  port?: number,
): Promise<EmbeddedPostgres> {
  const options = { directory, persistent: true, settings: { ...settings, ...own } }
  return startEmbeddedPostgres(port === undefined ? options : { ...options, port })
}

function synchronousNames(replication: Replication): string {
  return replication === 'synchronous' ? standbyName : ''
}

async function startStandby(
  directory: string,
  { port, password }: { readonly port: number; readonly password: string },
): Promise<EmbeddedPostgres> {
  const data = path.join(directory, 'data')
  const signal = path.join(data, 'standby.signal')
  await writeFile(signal, '')
  const { uid, gid } = await stat(data)
  await chown(signal, uid, gid)
  const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${standbyName}`
  return startIn(directory, { primary_conninfo: source })
}

async function isFollowed(primaryUrl: string, replication: Replication): Promise<boolean> {
  const { rows } = await query<{ sync_state: string }>(
    primaryUrl,
    `SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'`,
  )
  return rows[0]?.sync_state === (replication === 'synchronous' ? 'sync' : 'async')
}

function urlOf(ports: readonly number[], password: string): string {
  return `postgres://postgres:${password}@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${databaseName}`
}

async function execute(url: string, text: string): Promise<void> {
  await query(url, text)
}

/** One statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query<Row>(text, [...values])
  } finally {
    await client.end()
  }
}
