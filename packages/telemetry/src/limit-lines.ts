import type { LogFields } from '@queue/loop'
import { assertArguments, object, callback } from '@queue/loop/arguments'

export interface LimitLinesOptions {
  /** How many lines may be written within a minute. */
  readonly linesMax: number
  /** A monotonic clock in milliseconds; default `performance.now`. */
  readonly now?: () => number
}

const minuteMs = 60_000

/**
 * Limits log lines that outsiders can cause. Writes the first `linesMax` lines of each minute. The next written line has the
 * number of lines that were left out, in `suppressed`.
 */
export function limitLines(
  write: (fields: LogFields) => void,
  options: LimitLinesOptions,
): (fields: LogFields) => void {
  assertArguments('limitLines', { write: callback, options: object }, [write, options])
  const { linesMax, now = () => performance.now() } = options
  let minuteStartMs = Number.NEGATIVE_INFINITY
  let written = 0
  let suppressed = 0
  return (fields) => {
    const nowMs = now()
    if (nowMs - minuteStartMs >= minuteMs) {
      minuteStartMs = nowMs
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
