import { snoozeMsMax } from './limits.ts'

/**
 * A wait that a handler asked for, as one that can be added to now(): what is no number or lies in the past counts
 * as no wait, what is too long as the longest. One odd wait must not make a statement fail for its neighbours.
 */
export function boundedWaitMs(ms: number): number {
  return ms > 0 ? Math.min(ms, snoozeMsMax) : 0
}
