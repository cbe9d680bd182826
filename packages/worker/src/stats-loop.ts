import type { JobCounter } from '@queue/core/internal'
import { createTicker, type Ticker } from '@queue/loop'
import type { WorkerSettings } from './options.ts'
import type { SlowClaims } from './slow-claims.ts'

export interface StatsLoopOptions {
  readonly counter: Pick<JobCounter, 'flush'>
  readonly slowClaims: Pick<SlowClaims, 'flush'>
  readonly settings: Pick<WorkerSettings, 'statsIntervalMs'>
}

/**
 * Adds the counts of this process to the job statistics, and notes its slow claims, at every interval. Without counts and slow
 * claims it sends no statement.
 */
export function createStatsLoop({ counter, slowClaims, settings }: StatsLoopOptions): Ticker {
  return createTicker({
    intervalMs: settings.statsIntervalMs,
    tick: async () => {
      await counter.flush()
      await slowClaims.flush()
    },
    onError: () => undefined,
  })
}
