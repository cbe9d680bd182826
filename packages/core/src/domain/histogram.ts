// Counts durations in buckets whose bounds grow by 10 % each. A percentile read from them is within 5 % of the exact
// one.

/** Upper bound of a bucket, divided by that of the bucket before it. */
const bucketRatio = 1.1
/** Upper bound of bucket 0, which holds all shorter durations. */
const firstBoundMs = 0.01
/** Longer durations, beyond a hundred years, count as this one. */
const durationMsMax = 36_500 * 86_400_000

const logRatio = Math.log(bucketRatio)

/** The number of the bucket that holds this duration in milliseconds. A NaN counts in bucket 0. */
export function bucketOf(ms: number): number {
  // Not `ms <= firstBoundMs`, which is false for NaN.
  if (!(ms > firstBoundMs)) return 0
  return Math.ceil(Math.log(Math.min(ms, durationMsMax) / firstBoundMs) / logRatio)
}

/** The duration in milliseconds that represents a bucket: its geometric middle, within 5 % of every duration in it. */
function durationOf(bucket: number): number {
  if (bucket <= 0) return 0
  return Number((firstBoundMs * bucketRatio ** (bucket - 0.5)).toPrecision(4))
}

/** Number of durations by bucket number. */
export type Buckets = ReadonlyMap<number, number>

/** The 50th, 95th and 99th percentile, in milliseconds, within 5 %. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** The percentiles of all counted durations; null where none was counted. */
export function percentilesOf(buckets: Buckets): Percentiles | null {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b)
  const total = sorted.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return null
  const percentile = (share: number): number => {
    let remaining = Math.ceil(share * total)
    const reached = sorted.find(([, count]) => (remaining -= count) <= 0)
    return durationOf(reached?.[0] ?? 0)
  }
  return { p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) }
}
