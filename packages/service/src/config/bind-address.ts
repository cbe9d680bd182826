import { isIPv4, isIPv6 } from 'node:net'

/** The address on which a server listens. The host has no brackets, as node:net expects it. */
export interface BindAddress {
  readonly host: string
  readonly port: number
}

/** Parses `host:port`; an IPv6 address is in brackets. */
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
  // A name with only digits and dots must be a complete IPv4 address.
  if (/^[\d.]*$/.test(name)) return isIPv4(name)
  return name.length <= 253 && /^[a-z0-9]([a-z0-9_-]{0,62})(\.[a-z0-9_-]{1,63})*\.?$/i.test(name)
}

/** The default of WORKER_METRICS_BIND_ADDR. Only this machine can reach it; the container images set another address. */
export const workerBindAddressDefault = '127.0.0.1:9091'
