import { limits } from '@queue/core'
import {
  claimJobs,
  ClaimMemory,
  type Eligible,
  type JobCounter,
  type QueueDatabase,
  type UnbegunJob,
} from '@queue/core/internal'
import { createDatabaseClock } from '@queue/postgres'
import type { WorkerSettings } from './options.ts'
import type { Reporting } from './reporting.ts'
import type { SlowClaims } from './slow-claims.ts'

export interface ClaimerOptions {
  readonly database: QueueDatabase
  readonly reporting: Reporting
  readonly settings: Pick<WorkerSettings, 'queues' | 'queryTimeoutMs'>
  readonly kinds: readonly string[]
  readonly counter: Pick<JobCounter, 'claimed'>
  readonly slowClaims: Pick<SlowClaims, 'observe'>
  readonly nowMs: () => number
  /** Called when the database no longer lists this worker as active: it has lost all jobs that it runs. */
  readonly onLeaseLost: (workerId: string) => void
  /** Called when a claim has failed: whether it took effect is unknown. */
  readonly onFailed: () => void
}

/** The result of a claim. */
export interface Claimed {
  /** In the order in which they are to start. */
  readonly jobs: readonly UnbegunJob[]
  /** The length of all payloads in it, in characters. */
  readonly payloadLength: number
  /** Whether the same claim might find more jobs. */
  readonly more: boolean
  /** In how many milliseconds a limit may let another job start; null if unknown. */
  readonly retryInMs: number | null
  /** When the next claim for slots should come while jobs are prefetched: see `Claim`. */
  readonly nextForSlots: 'now' | 'soon' | 'later'
}

/** Claims for one process, one claim at a time, and remembers how far it has scanned and whose turn it is. */
export interface Claimer {
  /** Undefined when the claim failed: whether it took effect is unknown then. */
  claim(claim: {
    readonly workerId: string
    readonly limit: number
    readonly eligible: Eligible
  }): Promise<Claimed | undefined>
  /** Whether nothing may be prefetched, because jobs can start that may not wait in memory. */
  readonly isHeldUp: boolean
  /** Whether this prefetched job may not begin, because it is the turn of such jobs. */
  holdsUp(job: UnbegunJob): boolean
  /** Jobs were announced: a claim soon checks whether some of them may not be prefetched. */
  noteAnnounced(): void
  /** These jobs were returned unstarted, so they do not count as their queues' turns. */
  noteReturned(jobs: readonly UnbegunJob[]): void
  /** Makes the next claim scan this queue, or all queues, from the beginning. */
  rescan(queue?: string): void
}

/** The first claim after this time scans everything again. With a poll interval of 2 s, no job is missed for more than 10 s. */
const fullScanIntervalMs = 8_000

export function createClaimer(options: ClaimerOptions): Claimer {
  const memory = new ClaimMemory(options.settings.queues)
  const never = Number.NEGATIVE_INFINITY
  const fullScanAtMs: Record<Eligible, number> = { any: never, steady: never, ahead: never }
  // Each answer carries the database's time. The next claim uses it to state when it was sent.
  const clock = createDatabaseClock(options.nowMs)
  // A claim that timed out may have been too large to be answered in time, so the next one is smaller.
  let limitMax: number = limits.claimBatchMax
  const noteFailure = (error: unknown, limit: number): void => {
    const { observer, logger } = options.reporting
    limitMax = Math.max(1, Math.floor(limit / 2))
    observer.claimFailed()
    logger.warn('a claim failed; trying again', { error })
    options.onFailed()
  }
  return {
    claim: async ({ workerId, limit: requestedLimit, eligible }) => {
      const limit = Math.min(requestedLimit, limitMax)
      const { database, kinds } = options
      const { observer, tracer } = options.reporting
      const startedAtMs = options.nowMs()
      if (startedAtMs - fullScanAtMs[eligible] >= fullScanIntervalMs) {
        memory.rescanFor(eligible)
        fullScanAtMs[eligible] = startedAtMs
      }
      try {
        const timing = { answerWithinMs: options.settings.queryTimeoutMs, clock }
        const scope = { workerId, kinds, limit, eligible, memory, ...timing }
        const claim = await claimJobs(database, { ...scope, payloadBytesMax: payloadShareOf(limit) })
        clock.observe(claim.databaseNowMs)
        if (claim.tooLate) throw new Error('the claim waited past its deadline and took nothing')
        if (claim.leaseLost) options.onLeaseLost(workerId)
        limitMax = Math.min(limits.claimBatchMax, 2 * limitMax)
        const { jobs, payloadLength, more, retryInMs, nextForSlots } = claim
        const seconds = (options.nowMs() - startedAtMs) / 1_000
        for (const job of jobs) options.counter.claimed(job)
        observer.claimFinished({ seconds, jobs: jobs.length })
        if (jobs.length > 0) tracer.claimed({ jobs, seconds })
        return { jobs, payloadLength, more, retryInMs, nextForSlots }
      } catch (error) {
        noteFailure(error, limit)
        return undefined
      } finally {
        options.slowClaims.observe(options.nowMs() - startedAtMs)
      }
    },
    get isHeldUp() {
      return memory.isHeldUp
    },
    holdsUp: (job) => memory.holdsUp(job),
    noteAnnounced: () => memory.lanes.noteAnnounced(),
    noteReturned: (jobs) => {
      for (const job of jobs) memory.noteReturned(job)
    },
    rescan: (queue) => memory.rescan(queue),
  }
}

/** The largest payload, in bytes, that a claim of this many jobs carries. */
function payloadShareOf(jobs: number): number {
  return Math.floor(limits.claimPayloadBytesMax / jobs)
}
