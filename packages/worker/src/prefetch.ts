import { limits } from '@queue/core'

/** How many jobs a process may hold beyond those that run. */
export interface Prefetch {
  /** How many jobs may wait in memory now. */
  target(): number
  /** An attempt has run for so long. */
  observe(durationMs: number): void
  /** Payloads have come into memory. */
  observePayloads(payloads: PayloadSizes): void
  /** Jobs have waited in memory for longer than they should: nothing is fetched ahead for a while. */
  holdOff(): void
}

/** The payloads of so many jobs, of so many characters together. */
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

/** Enough work for this long is fetched ahead: some round trips to the database, and a blink for other workers. */
const horizonMs = 50
/** Jobs that take longer than this are not fetched ahead: a round trip adds nothing to them. */
const slowJobMs = 20
/** What nothing is known of is not fetched ahead either. */
const samplesMin = 8
/** The weight of the newest duration in the moving average. */
const weight = 0.1
/** No attempt counts as shorter than this, or a handful of instant ones would ask for thousands. */
const shortestJobMs = 0.5
const prefetchMax = limits.claimBatchMax
const holdOffMs = 1_000
/** What the payload of one job weighs in the moving average. */
const payloadWeight = 0.05
/** Waiting jobs are counted as so many times the average: some payloads are much larger. */
const roomPerAverage = 2

/**
 * `auto` fetches ahead so much that the slots are busy for `horizonMs` at the pace of late, and nothing for slow
 * jobs. A fixed setting is that number, but for the pause after a hold-off. Neither fetches more than there is room for
 * payloads of the size of late; where that is less than a job for each slot, nothing is fetched ahead.
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
