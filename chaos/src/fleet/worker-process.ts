import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type ForkedProgram, forkProgram } from '../run/fork-program.ts'

/** What a worker process is started with: where its databases are, and the settings of its worker. */
export interface WorkerOrder {
  readonly databaseUrl: string
  /** Where its handlers note their effects: never through what a scenario cuts. */
  readonly effectLogUrl: string
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
  readonly statsIntervalMs: number
  readonly notifications?: boolean
  readonly preparedStatements?: boolean
  readonly queryTimeoutMs?: number
  readonly prefetch?: 'auto' | number
  readonly poolMax?: number
  readonly queues?: string[]
}

/**
 * What a process tells of itself: that it has started; and what happened to it, once for each time. `refused`: a late write
 * of its own; `claim failed`; `end kept`: an end that the database does not take, and that it keeps.
 */
export interface FromWorker {
  readonly type: 'started' | Mishap
}

export type Mishap = 'refused' | 'claim failed' | 'end kept'

/** How a process has ended. */
export interface EndedProcess {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last that it has written to stderr. */
  readonly output: string
}

/** The end of a process in words. */
export function describeEnd({ code, signal, output }: EndedProcess): string {
  return `${signal ?? `exit code ${code}`}${output === '' ? '' : `: ${output}`}`
}

/** One process of the fleet. All signals go to its pid, and to no other. */
export interface WorkerProcess {
  readonly idPrefix: string
  readonly pid: number
  /** Resolves when its worker has started; rejects when it has ended before. */
  readonly started: Promise<void>
  readonly ended: Promise<EndedProcess>
  readonly alive: boolean
  /** How often this has happened to it, as far as it could tell us. */
  mishaps(mishap: Mishap): number
  signal(signal: NodeJS.Signals): void
}

/** Characters of stderr that are kept: an error with its stack. */
const outputLengthMax = 2_000
const program = new URL('worker-program.ts', import.meta.url)

/** Starts a process with one worker, and does not wait for it. */
export function startWorkerProcess(
  order: WorkerOrder,
  surroundings: Pick<ForkedProgram, 'env' | 'defect'> = {},
): WorkerProcess {
  const child = forkProgram({ program, order, stderr: 'pipe', ...surroundings })
  const started = Promise.withResolvers<void>()
  const mishaps = { refused: 0, 'claim failed': 0, 'end kept': 0 } satisfies Record<Mishap, number>
  child.on('message', ({ type }: FromWorker) => {
    if (type === 'started') started.resolve()
    else mishaps[type] += 1
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
    mishaps: (mishap) => mishaps[mishap],
    signal: (signal) => void child.kill(signal),
  }
}

async function endOf(child: ChildProcess): Promise<EndedProcess> {
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputLengthMax)
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return { code, signal, output: output.trim() }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a worker process could not be started')
  return pid
}
