import type { AgeRange } from '@queue/core/runtime'

/**
 * Reads the whole past again and again, in parts that the database reads quickly: from now backwards, and from now again
 * after the beginning. As a row only grows older between two parts, none is passed over.
 *
 * What a part costs is what its index entries cost, most of them dead: of jobs that have ended. Where vacuum removes those,
 * one part is all of the past. While an old snapshot keeps them, it is as much as the database has lately read in time.
 */
export interface Sweep {
  /** The part to read now. */
  next(): AgeRange
  /** It was read, and took the database so long: the next part is the one behind it. */
  done(tookMs: number): void
  /** It could not be read: a smaller one is tried. */
  failed(): void
  /** Whether the next part begins at now: all of the past has been read. */
  readonly isComplete: boolean
}

/** A part that takes the database longer is followed by one that would take half of this, by what is known then … */
const partTookMsMax = 50
/** … and one that takes less than this by one of twice the span. */
const partTookMsMin = partTookMsMax / 4
const partMsMin = 1_000

/** `lifetimeMs`: how long there can have been anything to read. What is older still is read with the last part. */
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
