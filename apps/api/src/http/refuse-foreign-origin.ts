import type { NextFunction, Request, Response } from 'express'
import { authorityOf } from './own-hosts.ts'
import { Problem } from './problem.ts'

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
