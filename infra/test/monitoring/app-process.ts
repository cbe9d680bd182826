import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '@queue/testing'

/** A process of the queue as it is deployed, but for its sources. */
export interface AppProcess {
  /** Where it listens. */
  readonly url: string
  stop(): Promise<void>
}

const root = new URL('../../../', import.meta.url)

/** Starts an app with this environment alone, and waits until it says where it listens. */
export async function startApp(
  app: 'api' | 'worker',
  env: Readonly<Record<string, string>>,
): Promise<AppProcess> {
  const main = fileURLToPath(new URL(`apps/${app}/src/main.ts`, root))
  const flags = ['--conditions=@queue/source', '--disable-warning=ExperimentalWarning']
  const child: ChildProcess = spawn(process.execPath, [...flags, main], {
    env: {
      LOG_FORMAT: 'json',
      API_BIND_ADDR: '127.0.0.1:0',
      WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process that hangs fails its test, and does not outlive it.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'close')
  const url = await eventually(() => /"url":"([^"]+)"/.exec(output)?.[1], {
    what: `that ${app} listens`,
    deadlineMs: 20_000,
  }).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`${app} does not listen:\n${output}`, { cause: error })
  })
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
