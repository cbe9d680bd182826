import { createHash, timingSafeEqual } from 'node:crypto'
import type { LogFields } from '@queue/telemetry'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { RequestRates } from '../access/request-rates.ts'
import { sessionOf } from '../dashboard/session-cookie.ts'
import type { Sessions } from '../dashboard/sessions.ts'
import { keyRecheckMs, keyUnverifiedMsMax } from './limits.ts'
import { namedTenant } from './headers.ts'
import { countedAs, everybody, inTenant, type Principal, tokenHolder } from './principal.ts'
import { Problem } from './problem.ts'
import { clientOf, contextOf } from './request-context.ts'

/** Whose a bearer credential is that was sent from this address; undefined when it is nobody's. */
export type Authenticate = (credential: string, address?: string) => Promise<Principal | undefined>

export interface RequireCredentialOptions {
  /** The token that permits everything; absent: there is none. */
  readonly token?: string | undefined
  /** Asked about every other credential; absent: there are no others. */
  readonly authenticate?: Authenticate | undefined
  /** Asked about the cookies of those who have signed in; absent: nobody has. */
  readonly sessions?: Pick<Sessions, 'find'> | undefined
  /** Counts the requests of keys and subjects that have a rate; absent: none has. */
  readonly rates?: RequestRates | undefined
  /** Paths that need no credential, as operations have them: `/docs/{asset}`. */
  readonly publicPaths: readonly string[]
  /** Told of each request that is refused. */
  readonly onRefused: (fields: LogFields) => void
}

/** Without a token, whoever reaches the API may do anything. */
export const letEverybodyIn: RequestHandler = (req: Request, res: Response, next: NextFunction) => {
  contextOf(res).principal = inTenant(everybody, namedTenant(req))
  next()
}

/**
 * Refuses every request without a valid bearer credential, whether its path exists or not, and before its body is read.
 * A wrong one is refused in the same words, whatever is wrong with it.
 */
export function requireCredential(options: RequireCredentialOptions): RequestHandler {
  const { rates, onRefused } = options
  const isPublic = matcherOf(options.publicPaths)
  const verifierOf = credentialVerifier(options)
  return (req: Request, res: Response, next: NextFunction): void | Promise<void> => {
    const admit = (principal: Principal | undefined): void => {
      const given = bearerToken(req.headers.authorization)
      if (principal === undefined) return refuse({ req, res, given, onRefused })
      contextOf(res).principal = inTenant(principal, namedTenant(req))
      next()
    }
    if (isPublic(req.path)) return next()
    const verify = verifierOf(req)
    if (typeof verify !== 'function') return admit(verify)
    return verify().then(async (principal) => {
      if (rates !== undefined && principal !== undefined) await countRequest(rates, principal, res)
      if (principal !== undefined) cutOnceRefused({ req, res }, verify)
      admit(principal)
    })
  }
}

async function countRequest(rates: RequestRates, principal: Principal, res: Response): Promise<void> {
  const name = countedAs(principal)
  if (name === undefined || principal.rate === undefined) return
  const headers = await rates.count(name, principal.rate)
  for (const [header, value] of Object.entries(headers)) res.setHeader(header, value)
}

type Verify = () => Promise<Principal | undefined>

/** Whose a request is, where that is known at once; else what finds it out, and can be asked again. */
function credentialVerifier({ token, authenticate, sessions }: RequireCredentialOptions) {
  const isToken = token === undefined ? () => false : tokenMatcher(token)
  return (req: Request): Principal | Verify | undefined => {
    const client = clientOf(req)
    const given = bearerToken(req.headers.authorization)
    if (given !== undefined) {
      if (isToken(given)) return tokenHolder
      return authenticate && (() => authenticate(given, client))
    }
    const session = sessions && sessionOf(req)
    return session === undefined ? undefined : async () => (await sessions?.find(session, client))?.principal
  }
}

/**
 * A request that goes on for long, a stream for example, ends when its credential opens no more, and when that could not
 * be found out for some seconds: a stream that reads from another pool would say more and more. It is cut, and not
 * answered: what it has set going may have taken effect.
 */
function cutOnceRefused({ req, res }: Exchange, verify: Verify): void {
  // The client may have gone while its key was looked up, and an answer that waits behind another is never closed.
  const isOver = (): boolean => res.closed || req.socket.destroyed
  if (isOver()) return
  let verifiedAtMs = performance.now()
  const timer = setInterval(() => {
    if (isOver()) return clearInterval(timer)
    const askedAtMs = performance.now()
    if (askedAtMs - verifiedAtMs > keyUnverifiedMsMax) return res.destroy()
    verify().then(
      (principal) => (principal === undefined ? res.destroy() : (verifiedAtMs = askedAtMs)),
      () => undefined,
    )
  }, keyRecheckMs).unref()
  res.once('close', () => clearInterval(timer))
}

interface Exchange {
  readonly req: Request
  readonly res: Response
}

interface RefusedRequest extends Exchange, Pick<RequireCredentialOptions, 'onRefused'> {
  readonly given: string | undefined
}

function refuse({ req, res, given, onRefused }: RefusedRequest): never {
  onRefused({
    request_id: contextOf(res).id,
    method: req.method,
    client: clientOf(req),
    given: given === undefined ? 'none' : 'another',
  })
  throw new Problem('unauthorized', {
    detail:
      given === undefined ? 'send the header Authorization: Bearer <token>' : 'the bearer token is not valid',
    headers: { 'www-authenticate': given === undefined ? 'Bearer' : 'Bearer error="invalid_token"' },
  })
}

/** Digests have one length, so that comparing them tells nothing of the token, its length included. */
function tokenMatcher(token: string): (given: string) => boolean {
  const expected = digest(token)
  return (given) => timingSafeEqual(digest(given), expected)
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

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
