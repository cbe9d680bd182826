import { isIPv6 } from 'node:net'
import { unknownKeysBurst, unknownKeysPerSecond } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { createAllowances } from './allowances.ts'

/** How many keys that nobody has may be looked up for one address. */
export interface UnknownKeys {
  /**
   * To be called before the database is asked for a key that this process has never let in. Throws
   * `too_many_unknown_keys`; otherwise gives what is to be called where the key exists.
   */
  lookUp(address: string | undefined): () => void
}

/** Each look-up costs the database a read: a client that guesses ids must not make it do so many. */
export function createUnknownKeys(nowMs: () => number): UnknownKeys {
  const allowances = createAllowances({ burst: unknownKeysBurst, perSecond: unknownKeysPerSecond, nowMs })
  return {
    lookUp: (address) => {
      const network = networkOf(address)
      if (!allowances.take(network)) throw new Problem('too_many_unknown_keys')
      return () => allowances.restore(network)
    },
  }
}

/** Whoever has an address of IPv6 has the 2^64 of its network. */
export function networkOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  return [...groups, ...Array.from({ length: zeros }, () => '0')].slice(0, 4).join(':')
}
