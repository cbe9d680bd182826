import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { type Child, startChild } from './child-process.ts'
import { untilAborted } from './stop-signal.ts'

export interface StackOptions {
  /** The folder for the server's data and for logs. */
  readonly directory: string
  /** Whether the processes' lines go to files under `directory` instead of to our own output. */
  readonly logs: 'files' | 'output'
  /** The variables of API and worker beyond our own environment. */
  readonly env: NodeJS.ProcessEnv
  readonly onStep: (step: string) => void
  /** Aborts when the stack is no longer wanted, also while it comes up. */
  readonly signal: AbortSignal
}

/** A running API and worker with their database. */
export interface Stack {
  readonly apiUrl: string
  readonly workerUrl: string
  /** Resolves with the name of the first process that ended by itself. */
  readonly broken: Promise<string>
  /** Ends all of it, the embedded server last. */
  stop(): Promise<void>
}

/** What undoes the steps so far, the last one first. */
type Cleanup = (() => Promise<void>)[]

const root = fileURLToPath(new URL('../..', import.meta.url))
const appScript = (app: string): string => path.join(root, 'apps', app, 'dist', 'main.js')

/**
 * Starts PostgreSQL unless DATABASE_URL names one, brings the schema up to date, and starts the API and a worker as
 * processes of their own. When any of it fails, what was started is stopped again before the error is thrown.
 */
export async function launchStack(options: StackOptions): Promise<Stack> {
  await mkdir(options.directory, { recursive: true })
  const cleanup: Cleanup = []
  const stop = async (): Promise<void> => {
    for (let undo = cleanup.pop(); undo !== undefined; undo = cleanup.pop()) await undo()
  }
  try {
    const database = { DATABASE_URL: await provideDatabase(options, cleanup) }
    // On a machine of development nothing is sent to anyone, unless somebody says so.
    const env = { EXECUTOR: 'simulated', ...process.env, ...options.env, ...database }
    await migrate(options, env, cleanup)
    const { api, worker } = await startServices(options, env, cleanup)
    const broken = Promise.race([api, worker].map((child) => child.ended.then(() => child.name)))
    const [apiUrl, workerUrl] = await Promise.all([readyUrl(api, options), readyUrl(worker, options)])
    return { apiUrl, workerUrl, broken, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function provideDatabase(options: StackOptions, cleanup: Cleanup): Promise<string> {
  const given = { ...process.env, ...options.env }['DATABASE_URL']
  if (given !== undefined && given !== '') return given
  options.onStep('starting PostgreSQL')
  const server = await startEmbeddedPostgres({ directory: path.join(options.directory, 'postgres') })
  cleanup.push(() => server.stop())
  return server.url
}

async function migrate(options: StackOptions, env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<void> {
  options.signal.throwIfAborted()
  options.onStep('bringing the schema up to date')
  const child = await startChild({
    name: 'migrate',
    script: appScript('migrate'),
    env,
    ...logOf(options, 'migrate'),
  })
  cleanup.push(() => child.stop())
  const stop = (): void => void child.stop()
  options.signal.addEventListener('abort', stop)
  const code = await child.ended
  options.signal.removeEventListener('abort', stop)
  options.signal.throwIfAborted()
  if (code !== 0) throw new StackError(`migrate ended with code ${code}`, options)
}

async function startServices(
  options: StackOptions,
  env: NodeJS.ProcessEnv,
  cleanup: Cleanup,
): Promise<{ readonly api: Child; readonly worker: Child }> {
  options.onStep('starting API and worker')
  const start = (name: string) => startChild({ name, script: appScript(name), env, ...logOf(options, name) })
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  cleanup.push(async () => {
    await Promise.all([api.stop(), worker.stop()])
  })
  return { api, worker }
}

/** Where a child is reached, once it says itself that it is ready. Throws when it ends instead. */
async function readyUrl(child: Child, options: StackOptions): Promise<string> {
  const url = await Promise.race([child.ready, child.ended, untilAborted(options.signal)])
  options.signal.throwIfAborted()
  if (typeof url !== 'string') throw new StackError(`${child.name} ended before it was ready`, options)
  return url
}

function logOf(options: StackOptions, name: string): { logFile?: string } {
  return options.logs === 'files' ? { logFile: path.join(options.directory, `${name}.log`) } : {}
}

/** The stack did not come up, and says where to look. */
class StackError extends Error {
  override readonly name = 'StackError'

  constructor(message: string, options: Pick<StackOptions, 'logs' | 'directory'>) {
    super(options.logs === 'files' ? `${message}; its log is in ${options.directory}` : message)
  }
}
