import type { SharedState } from './shared-state.ts'

export interface StallDetectorOptions {
  /** How long the loop may be blocked; 0 = forever. */
  readonly stallMs: number
  readonly state: Pick<SharedState, 'beats'>
}

/** Decides whether the main event loop is blocked so long that the process must end. */
export interface StallDetector {
  /** Why the process must end; undefined while it need not. `nowMs` is by `monotonicMs`. */
  check(nowMs: number): string | undefined
}

/** A longer gap between two checks means that the whole process was paused, so the rest of the gap does not count. */
const checkGapMsMax = 500

/**
 * A blocked loop has `stallMs`, whatever the timeouts of its jobs are: the end of the process is charged to every job in it, and
 * nobody knows which of them blocks the loop (docs/decisions/0153). Only time in which this thread runs counts: a process that was
 * stopped for an hour and continued was not blocked.
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
      if (stallMs === 0 || stalledMs < stallMs) return undefined
      return `the event loop has not turned for ${Math.round(stalledMs)} ms`
    },
  }
}
