import type { DatabaseClock } from '@queue/postgres'
import type { UnbegunJob } from '../domain/job.ts'
import type { ClaimMemory, Eligible } from './claim-memory.ts'

export interface ClaimInput {
  readonly workerId: string
  /**
   * Its queues, how far they were scanned and whose turn it is; a new one looks at everything. Only those queues are
   * claimed from that are in the table `queues`.
   */
  readonly memory: ClaimMemory
  /** Kinds that this worker can run, each version by its name: see `versionedKind`. */
  readonly kinds: readonly string[]
  /** How many at most, 1..`claimBatchMax`. */
  readonly limit: number
  readonly eligible: Eligible
  /** Larger payloads are left where they are, for `readPayloads`; default: none is. */
  readonly payloadBytesMax?: number
  /** How long the caller waits for the answer, in milliseconds, from when the statement is handed to its connection. */
  readonly answerWithinMs: number
  /**
   * The database's clock as the caller knows it, read when the statement is handed over. It must not be ahead of the
   * database's own. While it knows nothing, the time counts from the statement's arrival.
   */
  readonly clock: Pick<DatabaseClock, 'nowMs'>
}

export interface Claim {
  /** In the order in which they are to start. */
  readonly jobs: readonly UnbegunJob[]
  /** Characters of the payloads that it has carried. */
  readonly payloadLength: number
  /** Whether the worker is no longer active in the registry: it gets nothing, and must let go of what it runs. */
  readonly leaseLost: boolean
  /** Whether it was held up for so long that its caller may have given it up: it took nothing. */
  readonly tooLate: boolean
  /** Whether there may be more that it could have taken: it reached its limit, or the share of a queue. */
  readonly more: boolean
  /** In how many milliseconds a limit is expected to let another start; null where nothing is known. */
  readonly retryInMs: number | null
  /** The database's clock when the jobs were taken, in milliseconds since 1970. */
  readonly databaseNowMs: number
  /** Present where a second part of it has failed: whether that took effect is unknown. */
  readonly failure?: unknown
}

/** Jobs are taken within this share of the caller's patience; the rest is for writing them, and for the answer's way. */
export const takingShare = 0.9

/**
 * The order in which the claimed jobs start: UPDATE … RETURNING promises none. Queues of one priority take turns, since the
 * last of what waits in memory may have to go back.
 */
export function inClaimOrder(claimed: readonly UnbegunJob[]): UnbegunJob[] {
  const jobs = claimed.toSorted(byDueTime)
  const turns = new Map<string, number>()
  const turnOf = ({ priority, queue }: UnbegunJob): number => {
    const turn = (turns.get(`${priority}:${queue}`) ?? 0) + 1
    turns.set(`${priority}:${queue}`, turn)
    return turn
  }
  const isOneQueue = jobs.every(({ queue }) => queue === jobs[0]?.queue)
  if (isOneQueue) return jobs
  return jobs
    .map((job) => ({ job, turn: turnOf(job) }))
    .sort((a, b) => a.job.priority - b.job.priority || a.turn - b.turn)
    .map(({ job }) => job)
}

function byDueTime(a: UnbegunJob, b: UnbegunJob): number {
  return a.priority - b.priority || a.runAt.getTime() - b.runAt.getTime() || (a.id < b.id ? -1 : 1)
}
