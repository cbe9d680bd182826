import type { JobCounter } from '@queue/core/runtime'
import { createTicker, type Ticker } from '@queue/loop'
import type { WorkerSettings } from './options.ts'

export interface StatsLoopOptions {
  readonly counter: Pick<JobCounter, 'flush'>
  readonly settings: Pick<WorkerSettings, 'statsIntervalMs'>
}

/** Adds the counts of this process to the job statistics at every interval. Without counts it sends no statement. */
export function createStatsLoop({ counter, settings }: StatsLoopOptions): Ticker {
  return createTicker({
    intervalMs: settings.statsIntervalMs,
    tick: () => counter.flush(),
    onError: () => undefined,
  })
}
