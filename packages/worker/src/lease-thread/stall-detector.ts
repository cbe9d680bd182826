import type { SharedState } from './shared-state.ts'

export interface StallDetectorOptions {
  /** 0 = the loop may be blocked for ever. */
  readonly stallMs: number
  readonly state: Pick<SharedState, 'beats' | 'deadlineMs'>
}

/** Decides whether the main event loop is blocked for good. */
export interface StallDetector {
  /** Why the process has to be ended, or undefined while it need not. `nowMs` is by `monotonicMs`. */
  check(nowMs: number): string | undefined
}

/** A loop that has not turned for this long does not handle its own timeouts any more. */
const unresponsiveMs = 3_000
/** More time than this between two checks was a pause of the whole process, in which the loop could not turn either. */
const checkGapMsMax = 500

/**
 * A loop that turns handles its own timeouts. A blocked one has `stallMs`, or until a running attempt's timeout and grace
 * have passed, whichever comes first. Only time in which this thread runs counts: a whole process that is stopped for an
 * hour and continued was not blocked.
 */
export function createStallDetector({ stallMs, state }: StallDetectorOptions): StallDetector {
  let beats = state.beats()
  let checkedAtMs: number | undefined
  let stalledMs = 0

  const measure = (nowMs: number): void => {
    const sinceMs = checkedAtMs === undefined ? 0 : nowMs - checkedAtMs
    checkedAtMs = nowMs
    const hasTurned = state.beats() !== beats
    beats = state.beats()
    stalledMs = hasTurned ? 0 : stalledMs + Math.min(sinceMs, checkGapMsMax)
  }

  return {
    check: (nowMs) => {
      measure(nowMs)
      const stallText = `the event loop has not turned for ${Math.round(stalledMs)} ms`
      if (stallMs > 0 && stalledMs >= stallMs) return stallText
      const deadlineMs = state.deadlineMs()
      if (deadlineMs > 0 && nowMs > deadlineMs && stalledMs >= unresponsiveMs) {
        return `a job is past its timeout and grace, and ${stallText}`
      }
      return undefined
    },
  }
}
