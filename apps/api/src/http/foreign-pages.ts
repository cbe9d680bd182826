import { hostNameOf, isLoopbackHost } from '@queue/service'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { isRepeated } from './headers.ts'
import { Problem } from './problem.ts'

/** Host names and addresses; `*.example.com` matches every name below it. `any`: every host is allowed. */
export type AllowedHosts = readonly string[] | 'any'

/** Whether the server answers requests for this host. */
export type IsOwnHost = (authority: string, localAddress: string | undefined) => boolean

/**
 * Allows the hosts of `allowed`, the loopback names, and the address at which the client has reached the server. A page of
 * another host name is foreign even if its name resolves to this server (DNS rebinding). Loopback names and addresses cannot
 * be abused like that.
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

/** A dual-stack socket reports an IPv4 address as `::ffff:10.1.2.3`. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/**
 * The host and port that a request is for: those of an absolute URL in its target (RFC 9112, section 3.2.2), otherwise those
 * of its Host header.
 */
function authorityOf(req: Request): string {
  const { url } = req
  if (url.startsWith('/')) return req.headers.host ?? ''
  return /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? req.headers.host ?? ''
}

/** A host as in a URL, with an optional port; empty if the target has none (RFC 9110, section 7.2). */
const hostPattern = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/**
 * Refuses a request without exactly one valid Host header (RFC 9112, section 3.2), and one for a host that is not allowed. An
 * HTTP/1.0 client may omit the header; no browser does.
 */
export function requireOwnHost(isOwnHost: IsOwnHost): RequestHandler {
  return (req: Request, _res: Response, next: NextFunction) => {
    const { host } = req.headers
    if (host === undefined && req.httpVersion === '1.1') {
      throw new Problem('bad_request', { detail: 'the Host header is missing: HTTP/1.1 requires it' })
    }
    const authority = authorityOf(req)
    if (host !== undefined && (!isHost(host) || !isHost(authority) || isRepeated(req, 'host'))) {
      throw new Problem('bad_request', { detail: 'the Host header must be exactly one valid host' })
    }
    if (host !== undefined && !isOwnHost(authority, req.socket.localAddress)) {
      throw new Problem('foreign_host')
    }
    next()
  }
}

function isHost(text: string): boolean {
  return hostPattern.test(text)
}

/** Methods that change nothing (RFC 9110, section 9.2.1). Browsers hide their responses from pages of other sites. */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Refuses changes that a page of another site sends on behalf of its visitor. Browsers state the origin of a request
 * (Sec-Fetch-Site, Origin), and pages cannot forge that; other clients do not send these headers.
 */
export function refuseForeignOrigin(req: Request, _res: Response, next: NextFunction): void {
  if (safeMethods.has(req.method) || isSameOrigin(req)) next()
  else {
    throw new Problem('foreign_origin')
  }
}

function isSameOrigin(req: Request): boolean {
  const { origin, 'sec-fetch-site': site } = req.headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  return origin === undefined || isOriginOf(origin, authorityOf(req))
}

const originPattern = /^(https?):\/\/([^/?#@\\]+)$/i
const defaultPorts: Readonly<Record<string, string>> = { http: ':80', https: ':443' }

/**
 * Whether an origin belongs to a host. The scheme is ignored, because a proxy may terminate TLS. Browsers already report the
 * same host with another scheme as a foreign site in Sec-Fetch-Site.
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
