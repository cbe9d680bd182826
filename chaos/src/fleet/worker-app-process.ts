import { once } from 'node:events'
import { forkProgram } from '../run/fork-program.ts'
import type { SourceDefect } from '../mutants/source-defect.ts'
import { endOf, type EndedProcess } from './worker-process.ts'

/** `apps/worker` in a process of its own, as in a deployment. Its work is simulated. */
export interface WorkerAppProcess {
  /** Whether it has announced that it is ready. */
  readonly isReady: boolean
  /** Resolves when it is ready or has ended. */
  readonly settled: Promise<unknown>
  readonly ended: Promise<EndedProcess>
  signal(signal: NodeJS.Signals): void
}

const program = new URL('../../../apps/worker/src/main.ts', import.meta.url)

/** Starts the process, and does not wait for its start. `env` is its configuration without the address of its probes. */
export function startWorkerApp(
  env: Readonly<Record<string, string>>,
  defect: SourceDefect | undefined,
): WorkerAppProcess {
  const child = forkProgram({
    program,
    stderr: 'pipe',
    env: {
      ...env,
      EXECUTOR: 'simulated',
      WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
      LOG_LEVEL: 'warn',
    },
    defect,
  })
  let isReady = false
  const ready = once(child, 'message').then(() => {
    isReady = true
  })
  const ended = endOf(child)
  return {
    get isReady() {
      return isReady
    },
    settled: Promise.race([ready, ended]),
    ended,
    signal: (signal) => void child.kill(signal),
  }
}
