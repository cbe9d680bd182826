import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { isRepeated } from './is-repeated.ts'
import { authorityOf, type IsOwnHost } from './own-hosts.ts'
import { Problem } from './problem.ts'

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
