import { createHash, timingSafeEqual } from 'node:crypto'
import { keepConnection } from '@queue/service'
import type { LogFields } from '@queue/telemetry'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { goOnInTurn, type LoopTurns } from '../access/loop-turns.ts'
import { countRequest, type RequestRates } from '../access/request-rates.ts'
import { sessionOf } from '../dashboard/session-cookie.ts'
import type { Sessions } from '../dashboard/sessions.ts'
import { keyRecheckMs, keyUnverifiedMsMax } from './limits.ts'
import { requestedTenant } from './headers.ts'
import { anonymous, type Authenticate, forTenant, type Principal, tokenHolder } from './principal.ts'
import { Problem } from './problem.ts'
import { contextOf } from './request-context.ts'
import { sendProblem } from './send.ts'

export interface RequireCredentialOptions {
  /** The token that has every permission (API_TOKEN). Absent: there is none. */
  readonly token?: string | undefined
  /** Verifies every other credential. Absent: no others are accepted. */
  readonly authenticate?: Authenticate | undefined
  /** Finds the session of a cookie of the dashboard. Absent: there are no sessions. */
  readonly sessions?: Pick<Sessions, 'find'> | undefined
  /** Counts the requests of keys and subjects with a rate limit. Absent: none is limited. */
  readonly rates?: RequestRates | undefined
  /** Path templates that need no credential, such as `/docs/{asset}`. */
  readonly publicPaths: readonly string[]
  /** Callers without a valid credential take turns as one. */
  readonly turns: Pick<LoopTurns, 'take'>
  /** Called for each refused request. */
  readonly onRefused: (fields: LogFields) => void
}

/** Without a token and keys, every caller of the API has every permission. */
export const allowAnonymous: RequestHandler = (req: Request, res: Response, next: NextFunction) => {
  keepConnection(req.socket)
  contextOf(res).principal = forTenant(anonymous, requestedTenant(req))
  next()
}

/**
 * Refuses every request without a valid bearer credential, before its body is read and whether or not its path exists. The
 * response does not say what is wrong with a credential.
 */
export function requireCredential(options: RequireCredentialOptions): RequestHandler {
  const { rates, turns, onRefused } = options
  const isPublic = matcherOf(options.publicPaths)
  const verifierOf = credentialVerifier(options)
  return (req: Request, res: Response, next: NextFunction): void | Promise<void> => {
    const admit = (principal: Principal | undefined): void | Promise<void> => {
      const credential = bearerToken(req.headers.authorization)
      if (principal === undefined) {
        return goOnInTurn(turns, contextOf(res), () => refuse({ req, res, credential, onRefused }))
      }
      keepConnection(req.socket)
      contextOf(res).principal = forTenant(principal, requestedTenant(req))
      next()
    }
    if (isPublic(req.path)) return next()
    const verify = verifierOf(req)
    if (typeof verify !== 'function') return admit(verify)
    return verify().then(async (principal) => {
      if (principal !== undefined) {
        // So that its refusals are counted as its own.
        contextOf(res).principal = principal
        for (const [header, value] of Object.entries(await countRequest(principal, rates)))
          res.setHeader(header, value)
        closeWhenRefused({ req, res }, verify)
      }
      return admit(principal)
    })
  }
}

type Verify = () => Promise<Principal | undefined>

/** The principal of a request if it is known at once; otherwise a function that finds it and can be called again later. */
function credentialVerifier({ token, authenticate, sessions }: RequireCredentialOptions) {
  const isToken = token === undefined ? () => false : tokenMatcher(token)
  return (req: Request): Principal | Verify | undefined => {
    const credential = bearerToken(req.headers.authorization)
    if (credential !== undefined) {
      if (isToken(credential)) return tokenHolder
      return authenticate && (() => authenticate(credential))
    }
    const session = sessions && sessionOf(req)
    return session === undefined ? undefined : async () => (await sessions?.find(session))?.principal
  }
}

/** Verifications without an answer before a request is ended, so that at least one of them was begun after a standstill. */
const triesLeast = 3

/**
 * Verifies the credential of a long request, such as a stream, again and again. When the credential is no longer valid, or could
 * not be verified for some seconds, a request without a response gets one, which says that a write may have taken effect. A
 * stream is cut: it would otherwise go on to send data. The time alone does not count, because a process that stood still for so
 * long has not tried to verify anything.
 */
function closeWhenRefused({ req, res }: Exchange, verify: Verify): void {
  // The client may have disconnected while its key was looked up. A pipelined response never emits `close` then.
  const isOver = (): boolean => res.closed || req.socket.destroyed
  if (isOver()) return
  const end = (problem: Problem): void => {
    clearInterval(timer)
    if (res.headersSent) res.destroy()
    else sendProblem(req, res, problem)
  }
  let verifiedAtMs = performance.now()
  let triesSince = 0
  const verified = (startedAtMs: number): void => {
    verifiedAtMs = startedAtMs
    triesSince = 0
  }
  const timer = setInterval(() => {
    if (isOver()) return clearInterval(timer)
    const startedAtMs = performance.now()
    const isTooLong = startedAtMs - verifiedAtMs > keyUnverifiedMsMax
    if (isTooLong && triesSince >= triesLeast) return end(new Problem('database_unavailable'))
    triesSince += 1
    verify().then(
      (principal) => (principal === undefined ? end(noLongerValid()) : verified(startedAtMs)),
      () => undefined,
    )
  }, keyRecheckMs).unref()
  res.once('close', () => clearInterval(timer))
}

function noLongerValid(): Problem {
  return new Problem('unauthorized', {
    detail:
      'the credential was revoked or has expired while the request was handled, and a write may have taken effect: use ' +
      'another credential',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"', connection: 'close' },
  })
}

interface Exchange {
  readonly req: Request
  readonly res: Response
}

interface RefusedRequest extends Exchange, Pick<RequireCredentialOptions, 'onRefused'> {
  readonly credential: string | undefined
}

function refuse({ req, res, credential, onRefused }: RefusedRequest): never {
  const context = contextOf(res)
  onRefused({
    request_id: context.id,
    method: req.method,
    client: context.client,
    given: credential === undefined ? 'none' : 'another',
  })
  throw new Problem('unauthorized', {
    detail:
      credential === undefined
        ? 'send a credential in the header Authorization: Bearer <token>'
        : 'the bearer token is not valid: it may be unknown, expired or revoked',
    headers: { 'www-authenticate': credential === undefined ? 'Bearer' : 'Bearer error="invalid_token"' },
  })
}

/** Compares digests, which have one length, so that the time of the comparison reveals nothing about the token. */
function tokenMatcher(expectedToken: string): (token: string) => boolean {
  const expected = digest(expectedToken)
  return (token) => timingSafeEqual(digest(token), expected)
}

/** Whether a path matches one of these templates. Everything but the parameters must be identical. */
function matcherOf(templates: readonly string[]): (path: string) => boolean {
  const literal = new Set(templates.filter((template) => !template.includes('{')))
  const parts = templates.filter((template) => !literal.has(template)).map((template) => template.split('/'))
  return (path) => literal.has(path) || parts.some((template) => isMatch(template, path))
}

function isMatch(template: readonly string[], path: string): boolean {
  const parts = path.split('/', template.length + 1)
  return (
    parts.length === template.length &&
    template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : parts[index] === part))
  )
}

/** The bearer token of an Authorization header; undefined for another scheme and without a token. */
function bearerToken(authorization = ''): string | undefined {
  const token = authorization.slice('bearer '.length).trimStart()
  return /^bearer /i.test(authorization) && token !== '' ? token : undefined
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
