import type { LogFields } from '@queue/loop'

export interface LimitLinesOptions {
  /** How many lines may be written within a minute. */
  readonly linesMax: number
  /** A monotonic clock in milliseconds; default `performance.now`. */
  readonly now?: () => number
}

const minuteMs = 60_000

/**
 * For log lines that outsiders can cause. Writes the first `linesMax` of each minute; the first line of the next minute has
 * in `suppressed` how many were left out.
 */
export function limitLines(
  write: (fields: LogFields) => void,
  { linesMax, now = () => performance.now() }: LimitLinesOptions,
): (fields: LogFields) => void {
  let beganAt = Number.NEGATIVE_INFINITY
  let written = 0
  let suppressed = 0
  return (fields) => {
    const at = now()
    if (at - beganAt >= minuteMs) {
      beganAt = at
      written = 0
    }
    if (written >= linesMax) {
      suppressed += 1
      return
    }
    written += 1
    write(suppressed === 0 ? fields : { ...fields, suppressed })
    suppressed = 0
  }
}
