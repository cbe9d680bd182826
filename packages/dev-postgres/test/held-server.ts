import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { EmbeddedPostgresOptions } from '../src/index.ts'

export interface HoldOptions extends EmbeddedPostgresOptions {
  readonly umask?: number
}

export interface HeldServer {
  readonly child: ChildProcess
  readonly url: string
  readonly directory: string
  readonly port: number
  /** The next line that the process prints. */
  nextLine(): Promise<unknown>
  /** Ends the process, which stops the server first, and resolves with its exit code. */
  end(): Promise<number | null>
}

const fixture = fileURLToPath(new URL('./fixtures/hold-server.ts', import.meta.url))

/** Starts a process in its own process group that runs an embedded server until SIGTERM. */
export async function holdServer(
  options: HoldOptions,
  environment: NodeJS.ProcessEnv = process.env,
  identity: { uid?: number; gid?: number } = {},
): Promise<HeldServer> {
  const child = spawn(process.execPath, [fixture, JSON.stringify(options)], {
    ...identity,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment,
  })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<unknown> => {
    const line = await lines.next()
    if (line.done === true) throw new Error(`The process ended: ${errors}`)
    return JSON.parse(line.value)
  }
  const exited = once(child, 'exit')
  const end = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    return (await exited)[0]
  }
  const started = (await nextLine()) as { url: string; directory: string; port: number }
  return { child, ...started, nextLine, end }
}

/** Runs one query on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await client.query(text, values)
  } finally {
    await client.end()
  }
}

/** Whether the server at `url` accepts connections. */
export async function answers(url: string): Promise<boolean> {
  return query(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
}
