import { isIPv4, isIPv6 } from 'node:net'

/** Where a server listens. The host is without brackets, as node:net takes it. */
export interface BindAddress {
  readonly host: string
  readonly port: number
}

/** Reads `host:port`; an IPv6 address stands in brackets. */
export function parseBindAddress(
  value: string,
): { readonly value: BindAddress } | { readonly fault: string } {
  const match = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:[\]]*)):(?<port>\d{1,5})$/.exec(value)
  if (!match?.groups) return { fault: 'is not of the form host:port' }
  const { v6, name = '', port = '' } = match.groups
  if (v6 === undefined ? !isHostName(name) : !isIPv6(v6)) return { fault: 'has no valid host' }
  if (Number(port) > 65_535) return { fault: 'has a port above 65535' }
  return { value: { host: v6 ?? name, port: Number(port) } }
}

function isHostName(name: string): boolean {
  // A name of digits and dots alone is an address, and then a whole one.
  if (/^[\d.]*$/.test(name)) return isIPv4(name)
  return name.length <= 253 && /^[a-z0-9]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*\.?$/i.test(name)
}
