import type { JobCounter } from '@queue/core/runtime'
import { createTicker, type Ticker } from '@queue/loop'
import type { WorkerSettings } from './options.ts'

export interface StatsLoopOptions {
  readonly counter: Pick<JobCounter, 'flush'>
  readonly settings: Pick<WorkerSettings, 'statsIntervalMs'>
}

/** Adds what was counted to the numbers over time, at every interval; where nothing was, it asks for nothing. */
export function createStatsLoop({ counter, settings }: StatsLoopOptions): Ticker {
  return createTicker({
    intervalMs: settings.statsIntervalMs,
    tick: () => counter.flush(),
    onError: () => undefined,
  })
}
