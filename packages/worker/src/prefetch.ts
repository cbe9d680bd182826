import { limits } from '@queue/core'

/** Decides how many jobs a process may hold beyond those that run. */
export interface Prefetch {
  /** How many jobs may wait in memory now. */
  target(): number
  /** An attempt took `durationMs`. */
  observe(durationMs: number): void
  /** Payloads were read into memory. */
  observePayloads(payloads: PayloadSizes): void
  /** Jobs have waited in memory for longer than they should: nothing is fetched ahead for a while. */
  holdOff(): void
}

/** How many payloads, and their characters in total. */
export interface PayloadSizes {
  readonly jobs: number
  readonly length: number
}

export interface PrefetchOptions {
  /** `auto`, or a fixed number; 0 fetches nothing ahead. */
  readonly setting: 'auto' | number
  readonly concurrency: number
  readonly nowMs: () => number
}

/** Work for this long is fetched ahead: some round trips to the database, and hardly a delay for other workers. */
const horizonMs = 50
/** Jobs that take longer than this are not fetched ahead: a round trip adds nothing to them. */
const slowJobMs = 20
/** Nothing is fetched ahead before so many durations are known. */
const samplesMin = 8
/** The weight of the newest duration in the moving average. */
const weight = 0.1
/** No attempt counts as shorter than this: a few instant ones would otherwise demand thousands of jobs. */
const shortestJobMs = 0.5
const prefetchMax = limits.claimBatchMax
const holdOffMs = 1_000
/** What the payload of one job weighs in the moving average. */
const payloadWeight = 0.05
/** Each waiting job counts as so many average payloads, because some are much larger. */
const roomPerAverage = 2

/**
 * `auto` fetches enough ahead to keep the slots busy for `horizonMs` at the recent pace, and nothing for slow jobs. A fixed
 * setting is that number, except during the pause after a hold-off. Neither fetches more than fits into the budget of
 * payload bytes at the recent average size; when fewer jobs fit than there are slots, nothing is fetched ahead.
 */
export function createPrefetch({ setting, concurrency, nowMs }: PrefetchOptions): Prefetch {
  let samples = 0
  let averageMs = 0
  let averageLength = 0
  let heldOffUntilMs = Number.NEGATIVE_INFINITY

  const automatic = (): number => {
    if (samples < samplesMin || averageMs > slowJobMs) return 0
    return Math.floor((concurrency * horizonMs) / Math.max(averageMs, shortestJobMs))
  }

  const room = (): number => {
    const length = Math.max(1, roomPerAverage * averageLength)
    const jobs = Math.floor(limits.waitingPayloadBytesMax / length)
    return jobs < concurrency ? 0 : Math.min(prefetchMax, jobs)
  }

  return {
    target: () => {
      if (nowMs() < heldOffUntilMs) return 0
      return Math.min(setting === 'auto' ? automatic() : setting, room())
    },
    observe: (durationMs) => {
      samples += 1
      averageMs = samples === 1 ? durationMs : averageMs + weight * (durationMs - averageMs)
    },
    observePayloads: ({ jobs, length }) => {
      if (jobs > 0) averageLength += (length / jobs - averageLength) * (1 - (1 - payloadWeight) ** jobs)
    },
    holdOff: () => {
      heldOffUntilMs = nowMs() + holdOffMs
    },
  }
}
