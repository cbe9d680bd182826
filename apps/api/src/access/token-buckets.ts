import { keyCacheEntriesMax } from '../http/limits.ts'

/** Token buckets in the memory of this process, by name. A bucket is full when its name is first used. */
export interface TokenBuckets {
  /** Takes one token; false if there is none. */
  take(name: string): boolean
  /** Returns one token. */
  restore(name: string): void
}

export interface TokenBucketsOptions {
  /** Capacity of a bucket. */
  readonly burst: number
  /** Tokens that are added per second. */
  readonly perSecond: number
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
}

interface Bucket {
  tokens: number
  refilledAtMs: number
}

export function createTokenBuckets({ burst, perSecond, nowMs }: TokenBucketsOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>()
  const refilled = (name: string): Bucket => {
    const refilledAtMs = nowMs()
    const bucket = buckets.get(name) ?? { tokens: burst, refilledAtMs }
    const elapsedMs = Math.max(0, refilledAtMs - bucket.refilledAtMs)
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1_000)
    bucket.refilledAtMs = refilledAtMs
    // The bucket that was used last is dropped last.
    buckets.delete(name)
    buckets.set(name, bucket)
    if (buckets.size > keyCacheEntriesMax) buckets.delete(buckets.keys().next().value ?? name)
    return bucket
  }
  return {
    take: (name) => {
      const bucket = refilled(name)
      if (bucket.tokens < 1) return false
      bucket.tokens -= 1
      return true
    },
    restore: (name) => void (refilled(name).tokens += 1),
  }
}
