import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { compileCache, programFile } from '@queue/test-database'
import { eventually } from '@queue/testing'

/** A process of the queue as in a deployment, but run from its sources. */
export interface AppProcess {
  /** The URL at which it listens. */
  readonly url: string
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** Sends a signal, and does not wait. */
  signal(name: NodeJS.Signals): void
  stop(): Promise<void>
}

const root = new URL('../../../', import.meta.url)

const flags = ['--conditions=@queue/source', '--disable-warning=ExperimentalWarning']

function mainOf(app: string): string {
  return programFile(new URL(`apps/${app}/src/main.ts`, root))
}

/** Runs a command of the migration program. Rejects if its exit code is not 0. */
export async function runMigrate(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await promisify(execFile)(process.execPath, [...flags, mainOf('migrate'), ...args], {
    env: { ...compileCache, ...env },
    timeout: 240_000,
  })
}

/** The worker with other handlers, which misbehave as the payload of their job says. */
const misbehavingWorker = programFile(new URL('apps/worker/test/programs/misbehaving-worker.ts', root))

export interface StartAppOptions {
  /** The process is killed after this time, in milliseconds. Default 240 000. */
  readonly lifetimeMs?: number
}

/** Starts an app with only this environment, and waits until it has logged its URL. */
export async function startApp(
  app: 'api' | 'worker' | 'misbehaving worker',
  env: Readonly<Record<string, string>>,
  { lifetimeMs = 240_000 }: StartAppOptions = {},
): Promise<AppProcess> {
  const main = app === 'misbehaving worker' ? misbehavingWorker : mainOf(app)
  const child: ChildProcess = spawn(process.execPath, [...flags, main], {
    env: {
      ...compileCache,
      LOG_FORMAT: 'json',
      API_BIND_ADDR: '127.0.0.1:0',
      API_OPS_BIND_ADDR: '127.0.0.1:0',
      WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
      EXECUTOR: 'simulated',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: lifetimeMs,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'close')
  const url = await eventually(() => /"url":"([^"]+)"/.exec(output)?.[1], {
    what: `the URL of ${app}`,
  }).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`${app} does not listen:\n${output}`, { cause: error })
  })
  return {
    url,
    pid: child.pid,
    signal: (name) => child.kill(name),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
