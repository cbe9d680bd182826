import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '@queue/dev-postgres'
import { type Child, startChild } from './child-process.ts'
import { untilAborted } from './stop-signal.ts'

export interface StackOptions {
  /** The folder for the server's data and for logs. */
  readonly directory: string
  /** Whether the output of the processes goes to files in `directory` or to that of this process. */
  readonly logs: 'files' | 'output'
  /** Environment variables of API and worker in addition to those of this process. */
  readonly env: NodeJS.ProcessEnv
  readonly onStep: (step: string) => void
  /** Aborts the start of the stack. */
  readonly signal: AbortSignal
}

/** A running API and worker with their database. */
export interface Stack {
  readonly apiUrl: string
  readonly workerUrl: string
  /** Resolves with the name of the first process that ended without being stopped. */
  readonly broken: Promise<string>
  /** Stops all processes, the embedded server last. */
  stop(): Promise<void>
}

/** Functions that undo the steps so far. They run in reverse order. */
type Cleanup = (() => Promise<void>)[]

const root = fileURLToPath(new URL('../..', import.meta.url))
const appScript = (app: string): string => path.join(root, 'apps', app, 'dist', 'main.js')

/**
 * Starts PostgreSQL unless DATABASE_URL is set, migrates the schema, and starts the API and a worker as separate processes. If a
 * step fails, everything that was started is stopped before the error is thrown.
 */
export async function launchStack(options: StackOptions): Promise<Stack> {
  await mkdir(options.directory, { recursive: true })
  const cleanup: Cleanup = []
  const stop = async (): Promise<void> => {
    for (let undo = cleanup.pop(); undo !== undefined; undo = cleanup.pop()) await undo()
  }
  try {
    const database = { DATABASE_URL: await provideDatabase(options, cleanup) }
    // On a development machine, jobs are simulated by default, so that nothing is sent to anyone.
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
  const configuredUrl = { ...process.env, ...options.env }['DATABASE_URL']
  if (configuredUrl !== undefined && configuredUrl !== '') return configuredUrl
  options.onStep('starting PostgreSQL')
  const server = await startEmbeddedPostgres({ directory: path.join(options.directory, 'postgres') })
  cleanup.push(() => server.stop())
  return server.url
}

async function migrate(options: StackOptions, env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<void> {
  options.signal.throwIfAborted()
  options.onStep('migrating the schema')
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

/** Resolves with the URL of a child when it is ready. Throws if it ends before. */
async function readyUrl(child: Child, options: StackOptions): Promise<string> {
  const url = await Promise.race([child.ready, child.ended, untilAborted(options.signal)])
  options.signal.throwIfAborted()
  if (typeof url !== 'string') throw new StackError(`${child.name} ended before it was ready`, options)
  return url
}

function logOf(options: StackOptions, name: string): { logFile?: string } {
  return options.logs === 'files' ? { logFile: path.join(options.directory, `${name}.log`) } : {}
}

/** The stack could not be started. The message contains the location of the logs. */
class StackError extends Error {
  override readonly name = 'StackError'

  constructor(message: string, options: Pick<StackOptions, 'logs' | 'directory'>) {
    super(options.logs === 'files' ? `${message}; its log is in ${options.directory}` : message)
  }
}
