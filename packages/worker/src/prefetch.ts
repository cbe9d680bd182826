import { limits } from '@queue/core'

/** Decides how many jobs a process may hold beyond those that run. */
export interface Prefetch {
  /** How many jobs may wait in memory now. */
  target(): number
  /** Reports that an attempt took `durationMs`. */
  observe(durationMs: number): void
  /** Reports payloads that were read into memory. */
  observePayloads(payloads: PayloadSizes): void
  /** Stops prefetching for a while, because jobs have waited in memory for too long. */
  holdOff(): void
}

/** The sizes of some payloads. */
export interface PayloadSizes {
  readonly jobs: number
  /** Characters in total. */
  readonly length: number
}

export interface PrefetchOptions {
  /** `auto`, or a fixed number; 0 turns prefetching off. */
  readonly setting: 'auto' | number
  readonly concurrency: number
  readonly nowMs: () => number
}

/** Work for this long is prefetched. It covers some round trips to the database, and hardly delays other workers. */
const horizonMs = 50
/** Jobs that take longer than this are not prefetched: compared with them a round trip is negligible. */
const slowJobMs = 20
/** Nothing is prefetched before this many durations are known. */
const samplesMin = 8
/** The weight of the newest duration in the moving average. */
const durationWeight = 0.1
/** No attempt counts as shorter than this: otherwise a few very short attempts would demand thousands of jobs. */
const shortestJobMs = 0.5
const prefetchMax = limits.claimBatchMax
const holdOffMs = 1_000
/** The weight of one job's payload in the moving average. */
const payloadWeight = 0.05
/** Each waiting job counts as this many average payloads, because some payloads are much larger. */
const payloadsPerWaitingJob = 2

/**
 * `auto` prefetches enough to keep the slots busy for `horizonMs` at the recent pace, and nothing for slow jobs. A fixed
 * setting prefetches that number, except during the pause after a hold-off. Neither exceeds the budget of payload bytes at the
 * recent average size; if fewer jobs fit into the budget than there are slots, nothing is prefetched.
 */
export function createPrefetch({ setting, concurrency, nowMs }: PrefetchOptions): Prefetch {
  let samples = 0
  let averageMs = 0
  let averageLength = 0
  let heldOffUntilMs = Number.NEGATIVE_INFINITY

  const automaticTarget = (): number => {
    if (samples < samplesMin || averageMs > slowJobMs) return 0
    return Math.floor((concurrency * horizonMs) / Math.max(averageMs, shortestJobMs))
  }

  const jobsWithinPayloadBudget = (): number => {
    const length = Math.max(1, payloadsPerWaitingJob * averageLength)
    const jobs = Math.floor(limits.waitingPayloadBytesMax / length)
    return jobs < concurrency ? 0 : Math.min(prefetchMax, jobs)
  }

  return {
    target: () => {
      if (nowMs() < heldOffUntilMs) return 0
      return Math.min(setting === 'auto' ? automaticTarget() : setting, jobsWithinPayloadBudget())
    },
    observe: (durationMs) => {
      samples += 1
      averageMs = samples === 1 ? durationMs : averageMs + durationWeight * (durationMs - averageMs)
    },
    observePayloads: ({ jobs, length }) => {
      if (jobs > 0) averageLength += (length / jobs - averageLength) * (1 - (1 - payloadWeight) ** jobs)
    },
    holdOff: () => {
      heldOffUntilMs = nowMs() + holdOffMs
    },
  }
}
