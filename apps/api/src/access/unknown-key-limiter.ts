import { isIPv6 } from 'node:net'
import { unknownKeysBurst, unknownKeysPerSecond } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { createTokenBuckets } from './token-buckets.ts'

/** Limits the look-ups of unknown keys for each address. */
export interface UnknownKeyLimiter {
  /**
   * Call it before a key that this process has never accepted is read from the database. Throws `too_many_unknown_keys`. Call
   * the returned function if the key exists.
   */
  reserve(address: string | undefined): () => void
}

/** Each look-up costs a query, so a client that guesses ids must not cause many. */
export function createUnknownKeyLimiter(nowMs: () => number): UnknownKeyLimiter {
  const buckets = createTokenBuckets({ burst: unknownKeysBurst, perSecond: unknownKeysPerSecond, nowMs })
  return {
    reserve: (address) => {
      const network = networkOf(address)
      if (!buckets.take(network)) throw new Problem('too_many_unknown_keys')
      return () => buckets.restore(network)
    },
  }
}

/** The network of an address. The holder of an IPv6 address usually has the 2^64 addresses of its network. */
export function networkOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  return [...groups, ...Array.from({ length: zeros }, () => '0')].slice(0, 4).join(':')
}
