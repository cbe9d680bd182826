import { execFile } from 'node:child_process'
import { chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import pg from 'pg'

const run = promisify(execFile)

/** Whether a commit waits for the standby. */
export type Replication = 'synchronous' | 'asynchronous'

/** A primary, and a standby that follows it by streaming replication. */
export interface ServerPair {
  /** One URL with both hosts, the primary first. */
  readonly url: string
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Kills the primary at once, as if its machine had failed. */
  killPrimary(): Promise<void>
  /** Promotes the standby; resolves when it accepts writes. */
  promote(): Promise<void>
  /** Starts the old primary again, with its data at the kill. */
  revivePrimary(): Promise<void>
  close(): Promise<void>
}

/** A stopped cluster from which pairs are copied, so that both servers of a pair start with the same bytes. */
export interface PairTemplate {
  start(replication: Replication): Promise<ServerPair>
  close(): Promise<void>
}

const databaseName = 'queue'
const standbyName = 'standby'
/** A kill of the server loses nothing without fsync, because the operating system keeps running. */
const settings = { fsync: 'off' }

/** Creates a template. `prepare` fills the database at its URL with the content of both servers. */
export async function createPairTemplate(prepare: (url: string) => Promise<void>): Promise<PairTemplate> {
  const requestedDirectory = await mkdtemp(path.join(tmpdir(), 'queue-chaos-pair-'))
  const server = await startEmbeddedPostgres({ directory: requestedDirectory, persistent: true, settings })
  const { directory } = server
  const { password } = new URL(server.url)
  const directories = [requestedDirectory, directory]
  try {
    await execute(server.url, `CREATE DATABASE ${databaseName}`)
    await prepare(urlOf([server.port], password))
  } finally {
    await server.stop()
  }
  // In the folder of the template, which the server's account can enter.
  const copy = async (): Promise<string> => {
    const target = await mkdtemp(path.join(path.dirname(directory), 'queue-chaos-pair-'))
    directories.push(target)
    // Everything except the file that records the owner of the directory.
    for (const part of ['data', 'password']) await run('cp', ['-a', path.join(directory, part), target])
    return target
  }
  return {
    start: async (replication) =>
      startPair({ replication, password, directories: [await copy(), await copy()] }),
    close: async () => {
      for (const folder of new Set(directories)) await rm(folder, { recursive: true, force: true })
    },
  }
}

interface StartPair {
  readonly replication: Replication
  readonly password: string
  /** The directories of the primary and of the standby. */
  readonly directories: readonly [string, string]
}

async function startPair({ replication, password, directories }: StartPair): Promise<ServerPair> {
  const [primaryDirectory, standbyDirectory] = directories
  let primary = await startIn(primaryDirectory, { synchronous_standby_names: synchronousNames(replication) })
  const { port } = primary
  const standby = await startStandby(standbyDirectory, { port, password })
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
      // Without synchronous replication, because its standby no longer follows it.
      primary = await startIn(primaryDirectory, { synchronous_standby_names: '' }, port)
    },
    close: async () => {
      await primary.stop()
      await standby.stop()
    },
  }
}

function startIn(
  directory: string,
  extraSettings: Readonly<Record<string, string>>,
  port?: number,
): Promise<EmbeddedPostgres> {
  const options = { directory, persistent: true, settings: { ...settings, ...extraSettings } }
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

/** Runs one statement on a connection of its own. */
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
