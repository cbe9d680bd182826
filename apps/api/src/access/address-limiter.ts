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
  return isIPv6(address) ? groupsOf(address).slice(0, 4).join(':') : address
}

/** The eight groups of an IPv6 address; fewer at its end if that is written as an IPv4 address. */
export function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - groups.length - end.length }, () => '0')
  return [...groups, ...zeros, ...end]
}
