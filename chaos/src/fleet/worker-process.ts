import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { forkProgram } from '../run/fork-program.ts'

/** What a worker process is started with: where its databases are, and the settings of its worker. */
export interface WorkerOrder {
  readonly databaseUrl: string
  /** Where its handlers note their effects: never through what a row cuts. */
  readonly ledgerUrl: string
  readonly schema: string
  readonly concurrency: number
  /** Begins `locked_by` of every job that this process claims. */
  readonly idPrefix: string
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly recoveryIntervalMs: number
  readonly pollIntervalMs: number
  readonly maxPollIntervalMs: number
  readonly shutdownGraceMs: number
  readonly stallMs: number
  readonly notifications?: boolean
  readonly preparedStatements?: boolean
}

export type FromWorker = { readonly type: 'started' } | { readonly type: 'refused' }

/** How a process has ended. */
export interface EndedProcess {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last that it has written to stderr. */
  readonly said: string
}

/** The end of a process in words. */
export function describeEnd({ code, signal, said }: EndedProcess): string {
  return `${signal ?? `exit code ${code}`}${said === '' ? '' : `: ${said}`}`
}

/** One process of the fleet. All signals go to its pid, and to no other. */
export interface WorkerProcess {
  readonly idPrefix: string
  readonly pid: number
  /** Resolves when its worker has started; rejects when it has ended before. */
  readonly started: Promise<void>
  readonly ended: Promise<EndedProcess>
  readonly alive: boolean
  /** How many of its late writes the database has refused, as far as it could tell us. */
  readonly refused: number
  signal(signal: NodeJS.Signals): void
}

/** Characters of stderr that are kept: an error with its stack. */
const saidLengthMax = 2_000
const program = new URL('worker-program.ts', import.meta.url)

/** `env` is what its environment has besides the PATH. */
export function startWorkerProcess(
  order: WorkerOrder,
  env: Readonly<Record<string, string>> = {},
): WorkerProcess {
  const child = forkProgram({ program, order, stderr: 'pipe', env })
  const started = Promise.withResolvers<void>()
  let refused = 0
  child.on('message', (message: FromWorker) => {
    if (message.type === 'started') started.resolve()
    else refused += 1
  })
  const ended = endOf(child)
  void ended.then((end) => started.reject(new Error(`a worker ended before it started: ${describeEnd(end)}`)))
  // Who is not interested in the start of a process that is killed need not wait for it.
  started.promise.catch(() => undefined)
  return {
    idPrefix: order.idPrefix,
    pid: pidOf(child),
    started: started.promise,
    ended,
    get alive() {
      return child.exitCode === null && child.signalCode === null
    },
    get refused() {
      return refused
    },
    signal: (signal) => void child.kill(signal),
  }
}

async function endOf(child: ChildProcess): Promise<EndedProcess> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-saidLengthMax)
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return { code, signal, said: said.trim() }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a worker process could not be started')
  return pid
}
