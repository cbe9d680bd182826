import { hostNameOf, isLoopbackHost } from '@queue/service'
import type { Request } from 'express'

/** Hosts by name or address; `*.example.com` are all names below that one. `any`: there is no list. */
export type AllowedHosts = readonly string[] | 'any'

/** Whether a request names a host that this server answers to. */
export type IsOwnHost = (authority: string, localAddress: string | undefined) => boolean

/**
 * The hosts of `allowed`, the loopback names, and the very address at which the client has reached the server. A page
 * that was loaded from another name is none of ours, though its name may have been made to lead here (DNS rebinding);
 * of the loopback names and of addresses that cannot be done.
 */
export function ownHosts(allowed: AllowedHosts): IsOwnHost {
  if (allowed === 'any') return () => true
  const names = new Set(allowed.filter((name) => !name.startsWith('*.')))
  const suffixes = allowed.filter((name) => name.startsWith('*.')).map((name) => name.slice(1))
  return (authority, localAddress) => {
    const name = hostNameOf(authority)
    return (
      isLoopbackHost(name) ||
      names.has(name) ||
      name === plainAddress(localAddress) ||
      suffixes.some((suffix) => name.endsWith(suffix))
    )
  }
}

/** A socket that listens for both families calls an IPv4 address `::ffff:10.1.2.3`. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/**
 * The host that a request is for, with its port: that of its target if it is a whole URL (RFC 9112, section 3.2.2),
 * else that of its Host header.
 */
export function authorityOf(req: Request): string {
  const { url } = req
  if (url.startsWith('/')) return req.headers.host ?? ''
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? req.headers.host ?? ''
}
