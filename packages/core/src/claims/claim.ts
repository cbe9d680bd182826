import type { DatabaseClock } from '@queue/postgres'
import type { UnbegunJob } from '../domain/job.ts'
import type { ClaimMemory, Eligible } from './claim-memory.ts'

export interface ClaimInput {
  readonly workerId: string
  /**
   * The worker's queues, how far they were scanned, and whose turn it is. A new memory makes the claim scan everything.
   * Jobs are claimed only from those of the queues that are in the table `queues`.
   */
  readonly memory: ClaimMemory
  /** The kinds that this worker can run, each version by its name: see `versionedKind`. */
  readonly kinds: readonly string[]
  /** The most jobs to claim, 1..`claimBatchMax`. */
  readonly limit: number
  readonly eligible: Eligible
  /** Larger payloads are not returned, and can be read by `readPayloads`. Default: no maximum. */
  readonly payloadBytesMax?: number
  /** How long the caller waits for the answer, in milliseconds, from when the statement is handed to its connection. */
  readonly answerWithinMs: number
  /**
   * The caller's estimate of the database's clock, read when the statement is handed over. It must not be ahead of the
   * database's own. While it is unknown, the time counts from the statement's arrival.
   */
  readonly clock: Pick<DatabaseClock, 'nowMs'>
}

export interface Claim {
  /** In the order in which they should start. */
  readonly jobs: readonly UnbegunJob[]
  /** Characters of the returned payloads. */
  readonly payloadLength: number
  /** Whether the worker is no longer active in the registry. It gets no jobs then, and must stop those that it runs. */
  readonly leaseLost: boolean
  /** Whether the claim took so long that its caller may have given it up. It took nothing then. */
  readonly tooLate: boolean
  /** Whether there may be more jobs to claim: the claim reached its limit, or the share of a queue. */
  readonly more: boolean
  /** Milliseconds until a limit is expected to allow another start; null where that is unknown. */
  readonly retryInMs: number | null
  /**
   * When the next claim for slots should come while jobs are claimed ahead. `now`: this claim ahead took nothing, because
   * jobs in lanes may start. `soon`: some jobs may not wait in memory.
   */
  readonly nextForSlots: 'now' | 'soon' | 'later'
  /** The database's clock when the jobs were taken, in milliseconds since 1970. */
  readonly databaseNowMs: number
}

/** The share of the caller's time limit within which jobs are taken. The rest is for writing them and sending the answer. */
export const claimTimeShare = 0.9

/**
 * The claimed jobs in the order in which they start, because UPDATE … RETURNING guarantees none. Queues of one priority
 * take turns, since the last of the jobs that wait in memory may have to go back.
 */
export function inClaimOrder(claimed: readonly UnbegunJob[]): UnbegunJob[] {
  const jobs = claimed.toSorted(byDueTime)
  const isOneQueue = jobs.every(({ queue }) => queue === jobs[0]?.queue)
  return isOneQueue ? jobs : inTurns(jobs)
}

function inTurns(jobs: readonly UnbegunJob[]): UnbegunJob[] {
  const turns = new Map<string, number>()
  const turnOf = ({ priority, queue }: UnbegunJob): number => {
    const turn = (turns.get(`${priority}:${queue}`) ?? 0) + 1
    turns.set(`${priority}:${queue}`, turn)
    return turn
  }
  return jobs
    .map((job) => ({ job, turn: turnOf(job) }))
    .sort((a, b) => a.job.priority - b.job.priority || a.turn - b.turn)
    .map(({ job }) => job)
}

function byDueTime(a: UnbegunJob, b: UnbegunJob): number {
  return a.priority - b.priority || a.runAt.getTime() - b.runAt.getTime() || (a.id < b.id ? -1 : 1)
}
