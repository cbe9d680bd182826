import { type ClaimedJob, limits, type QueueDatabase } from '@queue/core'
import {
  type ClaimInput,
  type ClaimMarks,
  claimJobs,
  createDatabaseClock,
  forgetQueue,
  noMarks,
} from '@queue/core/runtime'
import type { Logger } from './logger.ts'
import type { WorkerObserver } from './observer.ts'
import type { Tracer } from './tracing.ts'

/** Which jobs a claim may bring; see `ClaimInput`. */
export type Eligible = ClaimInput['eligible']

export interface ClaimerOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
  readonly queues: readonly string[]
  readonly kinds: readonly string[]
  readonly nowMs: () => number
  /** How long a claim may take before it is given up. */
  readonly queryTimeoutMs: number
  /** Called when the database says that this worker is no longer active: whatever it runs is not its own any more. */
  readonly onLeaseLost: (workerId: string) => void
}

/** Claims for one process, and remembers how far it has scanned. */
export interface Claimer {
  /** The claimed jobs, or undefined when the claim failed: whether it took effect is unknown then. */
  claim(claim: {
    readonly workerId: string
    readonly limit: number
    readonly eligible: Eligible
  }): Promise<readonly ClaimedJob[] | undefined>
  /** The next claim looks again at what it had passed: of one queue, or of all. */
  rescan(queue?: string): void
}

/** The first claim after so long scans everything again: with a poll in between, nothing is missed for 10 s. */
const fullScanIntervalMs = 8_000

/** What a scan that passes over some jobs has seen says nothing of the others, so each sort has its own marks. */
interface Scanned {
  marks: ClaimMarks
  fullScanAtMs: number
}

export function createClaimer(options: ClaimerOptions): Claimer {
  const scanned: Record<Eligible, Scanned> = {
    any: { marks: noMarks, fullScanAtMs: Number.NEGATIVE_INFINITY },
    steady: { marks: noMarks, fullScanAtMs: Number.NEGATIVE_INFINITY },
    ahead: { marks: noMarks, fullScanAtMs: Number.NEGATIVE_INFINITY },
  }
  // Each answer is a reading of the database's clock, by which the next claim says when it was sent.
  const clock = createDatabaseClock(options.nowMs)
  const rotations = options.queues.map((_, first) => rotated(options.queues, first))
  let rotation = 0
  return {
    claim: async ({ workerId, limit, eligible }) => {
      const { database, kinds, observer, tracer, logger } = options
      const state = scanned[eligible]
      const startedAtMs = options.nowMs()
      if (startedAtMs - state.fullScanAtMs >= fullScanIntervalMs) {
        state.marks = noMarks
        state.fullScanAtMs = startedAtMs
      }
      rotation = (rotation + 1) % rotations.length
      const queues = rotations[rotation] ?? options.queues
      const scope = { queues, kinds, limit: Math.min(limit, limits.claimBatchMax) }
      try {
        const { jobs, marks, leaseLost, tooLate, databaseNowMs } = await claimJobs(database, {
          workerId,
          eligible,
          marks: state.marks,
          ...scope,
          answerWithinMs: options.queryTimeoutMs,
          clock,
        })
        clock.observe(databaseNowMs)
        if (tooLate) throw new Error('the claim was held up for so long that it took nothing')
        state.marks = marks
        if (leaseLost) options.onLeaseLost(workerId)
        const seconds = (options.nowMs() - startedAtMs) / 1_000
        observer.claimFinished({ seconds, jobs: jobs.length })
        if (jobs.length > 0) tracer.claimed({ jobs, seconds })
        return jobs
      } catch (error) {
        observer.claimFailed()
        logger.warn('a claim failed; trying again', { error })
        return undefined
      }
    },
    rescan: (queue) => {
      for (const state of Object.values(scanned)) {
        state.marks = queue === undefined ? noMarks : forgetQueue(state.marks, queue)
      }
    },
  }
}

/** The queues from the one at `first` on, so that none of equal priority is always served last. */
function rotated(queues: readonly string[], first: number): string[] {
  return [...queues.slice(first), ...queues.slice(0, first)]
}
