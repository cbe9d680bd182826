import { createHash, timingSafeEqual } from 'node:crypto'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { Problem } from './problem.ts'

export interface RequireTokenOptions {
  readonly token: string
  /** Paths that need no token. */
  readonly publicPaths: ReadonlySet<string>
}

/** Refuses every request without the bearer token, whether its path exists or not. */
export function requireToken({ token, publicPaths }: RequireTokenOptions): RequestHandler {
  const expected = digest(token)
  return (req: Request, _res: Response, next: NextFunction) => {
    const given = /^bearer +(.+)$/i.exec(req.headers.authorization ?? '')?.[1]
    if ((given !== undefined && timingSafeEqual(digest(given), expected)) || publicPaths.has(req.path)) {
      next()
      return
    }
    throw new Problem('unauthorized', {
      detail:
        given === undefined
          ? 'send the header Authorization: Bearer <token>'
          : 'the bearer token is not the right one',
      headers: { 'www-authenticate': given === undefined ? 'Bearer' : 'Bearer error="invalid_token"' },
    })
  }
}

/** Digests have one length, so that comparing them tells nothing of the token, its length included. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
