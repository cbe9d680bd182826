import type { SharedState } from './shared-state.ts'

export interface StallDetectorOptions {
  /** 0 = a loop may stand still for ever. */
  readonly stallMs: number
  readonly state: Pick<SharedState, 'beats' | 'deadlineMs'>
}

/** Decides whether the main loop is dead for ever. */
export interface StallDetector {
  /** Why the process has to be ended, or undefined while it need not. `nowMs` is by `monotonicMs`. */
  check(nowMs: number): string | undefined
}

/** A loop that has not turned for this long handles no timeout by itself any more. */
const deafMs = 3_000
/** More time between two checks was a pause of the whole process, in which the loop could not have turned either. */
const checkGapMsMax = 500

/**
 * A loop that turns looks after its own timeouts. One that stands still is given `stallMs`, or until a running
 * attempt's timeout and grace have passed, whichever comes first. Only time in which this thread runs counts, because
 * a whole process that is stopped for an hour, and goes on, has not stood still.
 */
export function createStallDetector({ stallMs, state }: StallDetectorOptions): StallDetector {
  let beats = state.beats()
  let checkedAtMs: number | undefined
  let stoodMs = 0

  const measure = (nowMs: number): void => {
    const sinceMs = checkedAtMs === undefined ? 0 : nowMs - checkedAtMs
    checkedAtMs = nowMs
    const turned = state.beats() !== beats
    beats = state.beats()
    stoodMs = turned ? 0 : stoodMs + Math.min(sinceMs, checkGapMsMax)
  }

  return {
    check: (nowMs) => {
      measure(nowMs)
      const stood = `the event loop has not turned for ${Math.round(stoodMs)} ms`
      if (stallMs > 0 && stoodMs >= stallMs) return stood
      const deadlineMs = state.deadlineMs()
      if (deadlineMs > 0 && nowMs > deadlineMs && stoodMs >= deafMs) {
        return `a job is past its timeout and grace, and ${stood}`
      }
      return undefined
    },
  }
}
