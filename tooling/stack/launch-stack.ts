import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, startEmbeddedPostgres } from '@queue/dev-postgres'
import { type Child, startChild } from './child-process.ts'
import { waitUntilReady } from './wait-until-ready.ts'

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
    const addresses = await bindAddresses({ ...process.env, ...options.env })
    const database = { DATABASE_URL: await provideDatabase(options, cleanup) }
    const env = { ...process.env, ...options.env, ...addresses, ...database }
    await migrate(options, env, cleanup)
    const children = await startServices(options, env, cleanup)
    const broken = Promise.race(children.map((child) => child.ended.then(() => child.name)))
    const apiUrl = localUrl(addresses.API_BIND_ADDR)
    const workerUrl = localUrl(addresses.WORKER_METRICS_BIND_ADDR)
    const urls = [apiUrl, workerUrl].map((url) => `${url}/readyz`)
    await Promise.all(urls.map((url) => waitUntilReady(url, { broken, signal: options.signal })))
    return { apiUrl, workerUrl, broken, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The addresses of API and worker; a port of 0 becomes a free one, because we must know where to ask. */
async function bindAddresses(env: NodeJS.ProcessEnv) {
  const fixed = async (address: string): Promise<string> =>
    address.endsWith(':0') ? `${address.slice(0, -1)}${await freePort()}` : address
  return {
    API_BIND_ADDR: await fixed(env['API_BIND_ADDR'] || '0.0.0.0:8080'),
    WORKER_METRICS_BIND_ADDR: await fixed(env['WORKER_METRICS_BIND_ADDR'] || '0.0.0.0:9091'),
  }
}

async function provideDatabase(options: StackOptions, cleanup: Cleanup): Promise<string> {
  const given = process.env['DATABASE_URL']
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
): Promise<Child[]> {
  options.onStep('starting API and worker')
  const children = await Promise.all(
    ['api', 'worker'].map((name) =>
      startChild({ name, script: appScript(name), env, ...logOf(options, name) }),
    ),
  )
  cleanup.push(async () => {
    await Promise.all(children.map((child) => child.stop()))
  })
  return children
}

function logOf(options: StackOptions, name: string): { logFile?: string } {
  return options.logs === 'files' ? { logFile: path.join(options.directory, `${name}.log`) } : {}
}

/** The address at which a listener on this bind address is reached from here. */
function localUrl(bindAddress: string): string {
  const host = bindAddress.slice(0, bindAddress.lastIndexOf(':'))
  const port = bindAddress.slice(bindAddress.lastIndexOf(':') + 1)
  return `http://${host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host}:${port}`
}

/** The stack did not come up, and says where to look. */
class StackError extends Error {
  override readonly name = 'StackError'

  constructor(message: string, options: Pick<StackOptions, 'logs' | 'directory'>) {
    super(options.logs === 'files' ? `${message}; its log is in ${options.directory}` : message)
  }
}
