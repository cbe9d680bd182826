import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { type ForkedProgram, forkProgram } from '../run/fork-program.ts'

/** The configuration of a worker process: the URLs of its databases, and the settings of its worker. */
export interface WorkerConfig {
  readonly databaseUrl: string
  /** The database in which its handlers log their effects. This connection never goes through a proxy that cuts it. */
  readonly effectLogUrl: string
  readonly schema: string
  readonly concurrency: number
  /** The prefix of `locked_by` of every job that this process claims. */
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
 * A message of a worker process: that it has started, or one incident. `refused`: the fence refused a stale write of it.
 * `claim failed`: a claim failed. `end kept`: it keeps an end that the database refuses.
 */
export interface WorkerMessage {
  readonly type: 'started' | Incident
}

export type Incident = 'refused' | 'claim failed' | 'end kept'

/** How a process has ended. */
export interface EndedProcess {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The end of its output on stderr. */
  readonly output: string
}

/** Describes the end of a process. */
export function describeEnd({ code, signal, output }: EndedProcess): string {
  return `${signal ?? `exit code ${code}`}${output === '' ? '' : `: ${output}`}`
}

/** One process of the fleet. Signals go to its pid only. */
export interface WorkerProcess {
  readonly idPrefix: string
  readonly pid: number
  /** Resolves when its worker has started; rejects if the process ends before. */
  readonly started: Promise<void>
  readonly ended: Promise<EndedProcess>
  readonly alive: boolean
  /** How many incidents of this type it has reported. */
  incidents(incident: Incident): number
  signal(signal: NodeJS.Signals): void
}

/** How many characters of stderr are kept: enough for an error with its stack. */
const outputLengthMax = 2_000
const program = new URL('worker-program.ts', import.meta.url)

/** Starts a process with one worker, and does not wait for its start. */
export function startWorkerProcess(
  config: WorkerConfig,
  processOptions: Pick<ForkedProgram, 'env' | 'defect'> = {},
): WorkerProcess {
  const child = forkProgram({ program, config, stderr: 'pipe', ...processOptions })
  const started = Promise.withResolvers<void>()
  const incidents = { refused: 0, 'claim failed': 0, 'end kept': 0 } satisfies Record<Incident, number>
  child.on('message', ({ type }: WorkerMessage) => {
    if (type === 'started') started.resolve()
    else incidents[type] += 1
  })
  const ended = endOf(child)
  void ended.then((end) => started.reject(new Error(`a worker ended before it started: ${describeEnd(end)}`)))
  // A caller that kills the process need not handle the rejection of its start.
  started.promise.catch(() => undefined)
  return {
    idPrefix: config.idPrefix,
    pid: pidOf(child),
    started: started.promise,
    ended,
    get alive() {
      return child.exitCode === null && child.signalCode === null
    },
    incidents: (incident) => incidents[incident],
    signal: (signal) => void child.kill(signal),
  }
}

/** Resolves when the process has ended. Call it at once after its start. */
export async function endOf(child: ChildProcess): Promise<EndedProcess> {
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
