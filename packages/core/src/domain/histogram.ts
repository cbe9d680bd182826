// How durations are counted: in buckets whose bounds grow by a tenth, so that any share of them is known within 5 %.

/** Each bucket reaches so many times as far as the one before. */
const bucketRatio = 1.1
/** The first bucket, number 0, holds what took no longer. */
const firstBoundMs = 0.01
/** Durations beyond a hundred years count as such. */
const durationMsMax = 36_500 * 86_400_000

const logRatio = Math.log(bucketRatio)

/** The number of the bucket that holds this duration. */
export function bucketOf(ms: number): number {
  // Also where it is not a number.
  if (!(ms > firstBoundMs)) return 0
  return Math.ceil(Math.log(Math.min(ms, durationMsMax) / firstBoundMs) / logRatio)
}

/** What stands for every duration in a bucket: within 5 % of each, because it is in the middle of their logarithms. */
function durationOf(bucket: number): number {
  if (bucket <= 0) return 0
  return Number((firstBoundMs * bucketRatio ** (bucket - 0.5)).toPrecision(4))
}

/** How many durations are in each bucket, by its number. */
export type Buckets = ReadonlyMap<number, number>

/** The durations that half, 95 % and 99 % of all do not exceed, in milliseconds and within 5 %. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Null where nothing was counted. */
export function percentilesOf(buckets: Buckets): Percentiles | null {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  const at = (share: number): number => {
    let left = Math.ceil(share * total)
    const found = sorted.find(([, count]) => (left -= count) <= 0)
    return durationOf(found?.[0] ?? 0)
  }
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
