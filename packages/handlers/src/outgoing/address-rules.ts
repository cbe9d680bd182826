import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Addresses that no registry of special ranges has: the control address of Azure's hosts, which lies in a public range,
 * and the IPv4 addresses in IPv6 form that the standard withdrew.
 */
const further = new BlockList()
further.addAddress('168.63.129.16')
further.addSubnet('::', 96, 'ipv6')

/** The part of IPv6 that is given out for public use. */
const publicIpv6 = new BlockList()
publicIpv6.addSubnet('2000::', 3, 'ipv6')

/**
 * What kind of address this is, if a request that somebody else has asked for must not reach it: one that is not public,
 * or one that leads to such by translation (IPv4-mapped, NAT64, 6to4, Teredo). Undefined for a public address.
 */
export function refusalOfAddress(address: string): string | undefined {
  const family = isIP(address)
  if (family === 0) return 'no address'
  const range = ipaddr.parse(address).range()
  if (range !== 'unicast') return range
  const isFurther = further.check(address, family === 4 ? 'ipv4' : 'ipv6')
  const isOutside = family === 6 && !publicIpv6.check(address, 'ipv6')
  return isFurther || isOutside ? 'reserved' : undefined
}
