import type { NextFunction, Request, Response } from 'express'
import { isRepeated } from './is-repeated.ts'
import { Problem } from './problem.ts'

/** A host as a URL has it, and its port; empty where the target has none (RFC 9110, section 7.2). */
const hostPattern = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

/** Refuses a request without exactly one valid Host header, as RFC 9112 (section 3.2) demands. */
export function requireHost(req: Request, _res: Response, next: NextFunction): void {
  const { host } = req.headers
  if (host === undefined && req.httpVersion === '1.1') {
    throw new Problem('bad_request', { detail: 'the Host header is missing' })
  }
  if (host !== undefined && (!hostPattern.test(host) || isRepeated(req, 'host'))) {
    throw new Problem('bad_request', { detail: 'the Host header is not one host' })
  }
  next()
}
