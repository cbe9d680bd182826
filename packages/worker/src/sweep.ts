import type { AgeRange } from '@queue/core/internal'

/**
 * Divides the past into ranges of age that the database reads quickly. It goes backwards from now, and starts again at now
 * when it has reached the beginning. Rows only grow older between two parts, so none is skipped.
 *
 * The cost of a part is that of its index entries. Most of them are dead entries of jobs that have ended. If vacuum removes
 * these, one part covers all of the past. While an old snapshot keeps them, the size of a part follows how fast the database
 * read the last ones.
 */
export interface Sweep {
  /** The part to read now. */
  next(): AgeRange
  /** Called when the part was read, in `tookMs`: moves to the next part. */
  done(tookMs: number): void
  /** Called when the part could not be read: makes it smaller. */
  failed(): void
  /** Whether the next part begins at now: all of the past has been read. */
  readonly isComplete: boolean
}

/** After a part that took longer than this comes one that should take half of it … */
const partTookMsMax = 50
/** … and after a part that took less than this, one of twice the span. */
const partTookMsMin = partTookMsMax / 4
const partMsMin = 1_000

/** `lifetimeMs`: the age of the oldest possible row. The last part has no upper bound. */
export function createSweep(lifetimeMs: () => number): Sweep {
  let spanMs = Number.POSITIVE_INFINITY
  let part: AgeRange = { fromAgeMs: 0, toAgeMs: spanMs }

  const partFrom = (fromAgeMs: number): AgeRange => {
    const toAgeMs = fromAgeMs + spanMs
    return { fromAgeMs, toAgeMs: toAgeMs < lifetimeMs() ? toAgeMs : Number.POSITIVE_INFINITY }
  }
  const shrinkBy = (factor: number): void => {
    const readMs = Math.min(part.toAgeMs, lifetimeMs()) - part.fromAgeMs
    spanMs = Math.max(partMsMin, readMs / factor)
  }
  return {
    next: () => part,
    done: (tookMs) => {
      if (tookMs > partTookMsMax) shrinkBy((2 * tookMs) / partTookMsMax)
      else if (tookMs < partTookMsMin) spanMs *= 2
      part = partFrom(Number.isFinite(part.toAgeMs) ? part.toAgeMs : 0)
    },
    failed: () => {
      shrinkBy(2)
      part = partFrom(part.fromAgeMs)
    },
    get isComplete() {
      return part.fromAgeMs === 0
    },
  }
}
