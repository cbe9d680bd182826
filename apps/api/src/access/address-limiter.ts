import { isIPv6 } from 'node:net'
import { unverifiedCallsBurst, unverifiedCallsPerSecond } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { createTokenBuckets } from './token-buckets.ts'

/** Limits the sign-ins from each address. */
export interface AddressLimiter {
  /**
   * Call it before the work. Throws `too_many_sign_ins`. Call the returned function if the work proved to be for somebody
   * who may cause more.
   */
  reserve(address: string | undefined): () => void
}

/** A sign-in writes a session or causes a request to the issuer, so a client must not cause many. */
export function createAddressLimiter(nowMs: () => number): AddressLimiter {
  const buckets = createTokenBuckets({
    burst: unverifiedCallsBurst,
    perSecond: unverifiedCallsPerSecond,
    nowMs,
  })
  return {
    reserve: (address) => {
      const network = networkOf(address)
      if (!buckets.take(network)) throw new Problem('too_many_sign_ins')
      return () => buckets.restore(network)
    },
  }
}

/** The network of an address. The holder of an IPv6 address usually has the 2^64 addresses of its network. */
export function networkOf(address = ''): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const zeros = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  return [...groups, ...Array.from({ length: zeros }, () => '0')].slice(0, 4).join(':')
}
