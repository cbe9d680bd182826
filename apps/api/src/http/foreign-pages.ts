import { hostNameOf, isLoopbackHost } from '@queue/service'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { isRepeated } from './headers.ts'
import { Problem } from './problem.ts'

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
function authorityOf(req: Request): string {
  const { url } = req
  if (url.startsWith('/')) return req.headers.host ?? ''
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? req.headers.host ?? ''
}

/** A host as a URL has it, and its port; empty where the target has none (RFC 9110, section 7.2). */
const hostPattern = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/**
 * Refuses a request without exactly one valid Host header, as RFC 9112 (section 3.2) demands, and one for a host that
 * is not ours. A client of HTTP 1.0 may name none; no browser is one.
 */
export function requireOwnHost(isOwnHost: IsOwnHost): RequestHandler {
  return (req: Request, _res: Response, next: NextFunction) => {
    const { host } = req.headers
    if (host === undefined && req.httpVersion === '1.1') {
      throw new Problem('bad_request', { detail: 'the Host header is missing' })
    }
    const authority = authorityOf(req)
    if (host !== undefined && (!isHost(host) || !isHost(authority) || isRepeated(req, 'host'))) {
      throw new Problem('bad_request', { detail: 'the Host header is not one host' })
    }
    if (host !== undefined && !isOwnHost(authority, req.socket.localAddress)) {
      throw new Problem('foreign_host', {
        detail:
          'this server does not answer to the host of the request; API_ALLOWED_HOSTS names those that it does',
      })
    }
    next()
  }
}

function isHost(text: string): boolean {
  return hostPattern.test(text)
}

/** Methods that change nothing (RFC 9110, section 9.2.1). What they answer, browsers keep from foreign pages. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Refuses what a page of another site sends in the name of the person who looks at it. Browsers say where a request
 * comes from (Sec-Fetch-Site, Origin), and pages cannot change that; other clients say nothing.
 */
export function refuseForeignOrigin(req: Request, _res: Response, next: NextFunction): void {
  if (safeMethods.has(req.method) || isOfOurOwn(req)) next()
  else {
    throw new Problem('foreign_origin', {
      detail: 'the request comes from a page of another site, which may change nothing here',
    })
  }
}

function isOfOurOwn(req: Request): boolean {
  const { origin, 'sec-fetch-site': site } = req.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || isOriginOf(origin, authorityOf(req))
}

const originPattern = /^(https?):\/\/([^/?#@\\]+)$/i
const defaultPorts: Readonly<Record<string, string>> = { http: ':80', https: ':443' }

/**
 * Whether an origin is that of a host. Its scheme may be another than ours, where a proxy ends TLS; a browser calls
 * the site of the same host by another scheme a foreign one anyway, in Sec-Fetch-Site.
 */
function isOriginOf(origin: string, authority: string): boolean {
  const [, scheme = '', host = ''] = originPattern.exec(origin) ?? []
  const port = defaultPorts[scheme.toLowerCase()]
  return port !== undefined && withoutPort(host, port) === withoutPort(authority, port)
}

function withoutPort(authority: string, port: string): string {
  const lower = authority.toLowerCase()
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower
}
