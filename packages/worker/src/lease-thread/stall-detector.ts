import type { SharedState } from './shared-state.ts'

export interface StallDetectorOptions {
  /** 0 = a loop may stand still for ever. */
  readonly stallMs: number
  readonly state: Pick<SharedState, 'beats' | 'deadlineMs'>
}

/** Decides whether the main loop is dead for ever. */
export interface StallDetector {
  /** Why the process has to be ended, or undefined while it need not. `nowMs` is by `monotonicMs`. */
  look(nowMs: number): string | undefined
}

/** A loop that has not turned for this long handles no timeout by itself any more. */
const deafMs = 3_000

/**
 * A loop that turns looks after its own timeouts. One that stands still is given `stallMs`, or until a running
 * attempt's timeout and grace have passed, whichever comes first.
 */
export function createStallDetector({ stallMs, state }: StallDetectorOptions): StallDetector {
  let beats = state.beats()
  let turnedAtMs: number | undefined
  return {
    look: (nowMs) => {
      if (turnedAtMs === undefined || state.beats() !== beats) {
        beats = state.beats()
        turnedAtMs = nowMs
        return undefined
      }
      const stoodMs = nowMs - turnedAtMs
      if (stallMs > 0 && stoodMs >= stallMs)
        return `its event loop has not turned for ${Math.round(stoodMs)} ms`
      const deadlineMs = state.deadlineMs()
      if (deadlineMs > 0 && nowMs > deadlineMs && stoodMs >= deafMs) {
        return `a job is past its timeout and grace, and the event loop has not turned for ${Math.round(stoodMs)} ms`
      }
      return undefined
    },
  }
}
