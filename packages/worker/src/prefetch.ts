import { limits } from '@queue/core'

/** How many jobs a process may hold beyond those that run. */
export interface Prefetch {
  /** How many jobs may wait in memory now. */
  target(): number
  /** An attempt has run for so long. */
  observe(durationMs: number): void
  /** Jobs have waited in memory for longer than they should: nothing is fetched ahead for a while. */
  holdOff(): void
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

/**
 * `auto` fetches ahead so much that the slots are busy for `horizonMs` at the pace of late, and nothing for slow
 * jobs. A fixed setting is that number, but for the pause after a hold-off.
 */
export function createPrefetch({ setting, concurrency, nowMs }: PrefetchOptions): Prefetch {
  let samples = 0
  let averageMs = 0
  let heldOffUntilMs = Number.NEGATIVE_INFINITY

  const automatic = (): number => {
    if (samples < samplesMin || averageMs > slowJobMs) return 0
    return Math.min(prefetchMax, Math.floor((concurrency * horizonMs) / Math.max(averageMs, shortestJobMs)))
  }

  return {
    target: () => {
      if (nowMs() < heldOffUntilMs) return 0
      return setting === 'auto' ? automatic() : Math.min(setting, limits.claimBatchMax)
    },
    observe: (durationMs) => {
      samples += 1
      averageMs = samples === 1 ? durationMs : averageMs + weight * (durationMs - averageMs)
    },
    holdOff: () => {
      heldOffUntilMs = nowMs() + holdOffMs
    },
  }
}
