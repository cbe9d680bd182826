import { assertArguments, number, object } from '@queue/loop/arguments'
import { type Random, retryDelayMs } from '@queue/core/internal'

/** The settings of a relay that determine the wait; durations in milliseconds. */
export interface RetryTiming {
  readonly retryBaseDelay: number
  readonly retryMaxDelay: number
  readonly jitter: boolean
}

/**
 * The wait in whole milliseconds after a dispatch has failed for the `attempts`-th time: with c = min(max, base · 2^attempts),
 * uniform in [0, c] (full jitter), or c itself without jitter. The first wait is therefore at most twice the base. Safe for any
 * number: a negative number or NaN counts as 0, and a power beyond the range of a double is bounded by the maximum.
 *
 * It is the queue's exponential backoff, except that the queue waits base · 2^0 after its first attempt.
 */
export function nextRetryDelay(attempts: number, timing: RetryTiming, random: Random = Math.random): number {
  assertArguments('nextRetryDelay', { attempts: number, timing: object }, [attempts, timing])
  return retryDelayMs(
    attempts + 1,
    {
      type: 'exponential',
      jitter: timing.jitter ? 'full' : 'none',
      baseMs: timing.retryBaseDelay,
      capMs: timing.retryMaxDelay,
    },
    random,
  )
}
