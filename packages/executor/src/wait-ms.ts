import { limits } from '@queue/core'

/**
 * `ms` as whole milliseconds, rounded up. Throws a RangeError when it is not a number in [0, 10 years]; `cause`
 * is what the wait was asked for, so that the fault does not hide it.
 */
export function checkedWaitMs(ms: number, cause?: unknown): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= limits.snoozeMsMax) return Math.ceil(ms)
  const message = `a wait must be between 0 and ${limits.snoozeMsMax} ms, not ${String(ms)}`
  throw cause === undefined ? new RangeError(message) : new RangeError(message, { cause })
}
