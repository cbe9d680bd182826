import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { createKey, mintKey } from '@queue/admin'
import { databaseOf } from '@queue/core/internal'
import {
  compileCache,
  createTestDatabase,
  eventually,
  networkEnvironment,
  programFile,
  type TestDatabase,
} from '@queue/test-database'
import { runCli } from '../../src/run-cli.ts'

export type BackendName = 'api' | 'database'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** The columns of a terminal; absent: standard output is no terminal. */
  readonly columns?: number
}

/** A database, the API on it, and the command with both backends. */
export interface World {
  readonly database: TestDatabase
  /** The environment variables that select a backend. */
  readonly env: Readonly<Record<BackendName, Readonly<Record<string, string>>>>
  /** Runs the command inside this process. */
  run(backend: BackendName, argv: readonly string[], options?: RunOptions): Promise<Ran>
  close(): Promise<void>
}

const apiMain = new URL('../../../../apps/api/src/main.ts', import.meta.url)

export async function createWorld(): Promise<World> {
  const database = await createTestDatabase()
  const key = mintKey()
  await createKey(databaseOf(database.queue), key, { name: 'operator', role: 'admin' })
  const api = await startApi(database)
  const env = {
    api: { QUEUE_API_URL: api.url, QUEUE_API_KEY: key.text },
    database: { DATABASE_URL: database.url },
  }
  return {
    database,
    env,
    run: (backend, argv, options) => run(argv, { ...options, env: { ...env[backend], ...options?.env } }),
    close: async () => {
      await api.stop()
      await database.close()
    },
  }
}

async function startApi(database: TestDatabase): Promise<{ url: string; stop(): Promise<void> }> {
  const args = ['--conditions=@queue/source', '--disable-warning=ExperimentalWarning', programFile(apiMain)]
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env['PATH'],
      ...networkEnvironment(),
      ...compileCache,
      LOG_FORMAT: 'json',
      API_BIND_ADDR: '127.0.0.1:0',
      API_OPS_BIND_ADDR: '127.0.0.1:0',
      API_KEYS: 'yes',
      DATABASE_URL: database.urlAs('api'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const url = await eventually(() => /"url":"([^"]+)"/.exec(output)?.[1], { what: 'the API that listens' })
  await eventually(async () => (await fetch(`${url}/readyz`)).ok, { what: 'the API that is ready' })
  return {
    url,
    stop: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

async function run(
  argv: readonly string[],
  { input = '', env = {}, signal = new AbortController().signal, columns }: RunOptions,
): Promise<Ran> {
  const texts = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof texts): Writable =>
    new Writable({
      write: (chunk, _encoding, done) => {
        texts[name] += String(chunk)
        done()
      },
    })
  const stdin = new PassThrough()
  stdin.end(input)
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const stdout = Object.assign(collect('stdout'), terminal)
  const code = await runCli({ argv, env, stdin, stdout, stderr: collect('stderr'), signal, version: '0.0.0' })
  return { code, ...texts }
}
