import { isIPv6 } from 'node:net'
import { keyCacheEntriesMax, unknownKeysBurst, unknownKeysPerSecond } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'

/** How many keys that nobody has may be looked up for one address. */
export interface UnknownKeys {
  /**
   * To be called before the database is asked for a key that this process has never let in. Throws
   * `too_many_unknown_keys`; otherwise gives what is to be called where the key exists.
   */
  lookUp(address: string | undefined): () => void
}

interface Allowance {
  left: number
  atMs: number
}

/** Each look-up costs the database a read: a client that guesses ids must not make it do so many. */
export function createUnknownKeys(nowMs: () => number): UnknownKeys {
  const allowances = new Map<string, Allowance>()

  const allowanceOf = (network: string): Allowance => {
    const atMs = nowMs()
    const known = allowances.get(network) ?? { left: unknownKeysBurst, atMs }
    known.left = Math.min(unknownKeysBurst, known.left + ((atMs - known.atMs) * unknownKeysPerSecond) / 1_000)
    known.atMs = atMs
    // The last that came is the last to go.
    allowances.delete(network)
    allowances.set(network, known)
    if (allowances.size > keyCacheEntriesMax) allowances.delete(allowances.keys().next().value ?? network)
    return known
  }

  return {
    lookUp: (address) => {
      const allowance = allowanceOf(networkOf(address))
      if (allowance.left < 1) throw new Problem('too_many_unknown_keys')
      allowance.left -= 1
      return () => {
        allowance.left += 1
      }
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
