import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Special addresses that no registry of special ranges lists: the control address of Azure's hosts, which lies in a public
 * range, and the deprecated IPv4-compatible IPv6 addresses.
 */
const unlistedSpecial = new BlockList()
unlistedSpecial.addAddress('168.63.129.16')
unlistedSpecial.addSubnet('::', 96, 'ipv6')

/** The part of IPv6 that is allocated for public use. */
const publicIpv6 = new BlockList()
publicIpv6.addSubnet('2000::', 3, 'ipv6')

/**
 * Why a request to an address from a payload is refused: the name of its special range. Addresses that are not public are
 * refused, and so are those that lead to one by translation (IPv4-mapped, NAT64, 6to4, Teredo). Undefined for a public address.
 */
export function refusalOfAddress(address: string): string | undefined {
  const family = isIP(address)
  if (family === 0) return 'no address'
  const range = ipaddr.parse(address).range()
  if (range !== 'unicast') return range
  const isUnlistedSpecial = unlistedSpecial.check(address, family === 4 ? 'ipv4' : 'ipv6')
  const isOutsidePublicIpv6 = family === 6 && !publicIpv6.check(address, 'ipv6')
  return isUnlistedSpecial || isOutsidePublicIpv6 ? 'reserved' : undefined
}
