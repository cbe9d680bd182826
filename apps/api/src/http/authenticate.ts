import { createHash, timingSafeEqual } from 'node:crypto'
import type { LogFields } from '@queue/telemetry'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { Problem } from './problem.ts'
import { clientOf, contextOf } from './request-context.ts'

export interface RequireTokenOptions {
  readonly token: string
  /** Paths that need no token, as operations have them: `/docs/{asset}`. */
  readonly publicPaths: readonly string[]
  /** Told of each request that is refused. */
  readonly onRefused: (fields: LogFields) => void
}

/** Refuses every request without the bearer token, whether its path exists or not. */
export function requireToken({ token, publicPaths, onRefused }: RequireTokenOptions): RequestHandler {
  const expected = digest(token)
  const isPublic = matcherOf(publicPaths)
  return (req: Request, res: Response, next: NextFunction) => {
    const given = bearerToken(req.headers.authorization)
    if ((given !== undefined && timingSafeEqual(digest(given), expected)) || isPublic(req.path)) {
      next()
      return
    }
    onRefused({
      request_id: contextOf(res).id,
      method: req.method,
      client: clientOf(req),
      given: given === undefined ? 'none' : 'another',
    })
    throw new Problem('unauthorized', {
      detail:
        given === undefined
          ? 'send the header Authorization: Bearer <token>'
          : 'the bearer token is not the right one',
      headers: { 'www-authenticate': given === undefined ? 'Bearer' : 'Bearer error="invalid_token"' },
    })
  }
}

/** Whether a path is one of these templates, letter by letter but for the parameters. */
function matcherOf(templates: readonly string[]): (path: string) => boolean {
  const literal = new Set(templates.filter((template) => !template.includes('{')))
  const parts = templates.filter((template) => !literal.has(template)).map((template) => template.split('/'))
  return (path) => literal.has(path) || parts.some((template) => isMatch(template, path))
}

function isMatch(template: readonly string[], path: string): boolean {
  const parts = path.split('/', template.length + 1)
  return (
    parts.length === template.length &&
    template.every((part, place) => (part.startsWith('{') ? parts[place] !== '' : parts[place] === part))
  )
}

/** What follows the scheme and its spaces; undefined when nothing does, or the scheme is another. */
function bearerToken(authorization = ''): string | undefined {
  const token = authorization.slice('bearer '.length).trimStart()
  return /^bearer /i.test(authorization) && token !== '' ? token : undefined
}

/** Digests have one length, so that comparing them tells nothing of the token, its length included. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
