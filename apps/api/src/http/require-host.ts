import type { NextFunction, Request, Response } from 'express'
import { Problem } from './problem.ts'

/** Refuses a request of HTTP/1.1 without a Host header, as RFC 9112 (section 3.2) demands. */
export function requireHost(req: Request, _res: Response, next: NextFunction): void {
  if (req.headers.host === undefined && req.httpVersion === '1.1') {
    throw new Problem('bad_request', { detail: 'the Host header is missing' })
  }
  next()
}
