// Sign-in at an OpenID Connect issuer: the browser goes there, and returns with a code that opens a session.
import type { Logger } from '@queue/telemetry'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { AuthorizationCode } from '../access/oidc/authorization-code.ts'
import type { AddressLimiter } from '../access/address-limiter.ts'
import { parseJson } from '../http/json-body.ts'
import { claimsCharactersMax, sessionMs, signInMs } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { parseQuery } from '../http/query.ts'
import { contextOf } from '../http/request-context.ts'
import { sendAnswer } from '../http/send.ts'
import { parseBody } from '../http/serve-operation.ts'
import type { UnverifiedBodies } from '../http/unverified-bodies.ts'
import { setSessionCookie, setSignInCookie, signInOf } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

/** What bounds the requests of people who have not signed in yet. */
export interface SignInGuards {
  readonly bodies: UnverifiedBodies
  /** A sign-in costs a query or a request to the issuer, so a client that invents keys and codes must not cause many. */
  readonly limiter: AddressLimiter
}

export interface IssuerSignInOptions {
  readonly flow: AuthorizationCode
  readonly sessions: Sessions
  /** Path prefix of the API in browsers. */
  readonly basePath: string
  readonly guards: SignInGuards
  readonly logger: Pick<Logger, 'warn'>
}

/** Why a sign-in failed. The page explains it. */
type SignInFault = 'expired' | 'refused' | 'unavailable' | 'nothing_permitted'

const startSchema = z.strictObject({ next: z.string().startsWith('/').max(2_000) })

/** The content of the cookie during the sign-in. */
const pendingSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  origin: z.string(),
  next: z.string(),
})

type Pending = z.output<typeof pendingSchema>

/** The redirect URI, which must be registered at the issuer. */
const returnPath = '/dashboard/session/issuer'

/** Returns the URL at which to sign in. Requests from other origins are refused earlier. */
export function startSignIn({ flow, basePath, guards }: IssuerSignInOptions): RequestHandler {
  return async (req, res) => {
    const { origin } = req.headers
    const { client } = contextOf(res)
    const { next } = parseBody(
      { schema: startSchema, refusedAs: 'invalid_body' },
      parseJson(await guards.bodies.read(req, client)),
    )
    if (origin === undefined) {
      throw new Problem('bad_request', { detail: 'the Origin header is missing: sign in with a browser' })
    }
    guards.limiter.reserve(client)
    const { url, pending } = await flow.begin(`${origin}${basePath}${returnPath}`).catch((cause: unknown) => {
      throw new Problem('issuer_unavailable', { cause })
    })
    const value = Buffer.from(JSON.stringify({ ...pending, origin, next })).toString('base64url')
    setSignInCookie({ res, value, maxAgeSeconds: signInMs / 1_000, origin })
    sendAnswer(res, { status: 200, json: { url } })
  }
}

/** Exchanges the code for a session. Redirects to the page that was requested, or to one that explains the failure. */
export function finishSignIn(options: IssuerSignInOptions): RequestHandler {
  return async (req, res) => {
    const pending = pendingOf(signInOf(req))
    setSignInCookie({ res, value: '', maxAgeSeconds: 0, origin: pending?.origin })
    const release = options.guards.limiter.reserve(contextOf(res).client)
    const outcome = await exchangeCode(options, { query: parseQuery(req.url), pending })
    res.setHeader('cache-control', 'no-store')
    res.statusCode = 303
    if (typeof outcome === 'string') {
      res.setHeader('location', `${options.basePath}/dashboard/?sign_in=${outcome}`)
    } else {
      release()
      setSessionCookie({ res, value: outcome.id, maxAgeSeconds: sessionMs / 1_000, origin: pending?.origin })
      res.setHeader('location', `${options.basePath}/dashboard${ownPath(pending?.next)}`)
    }
    res.end()
  }
}

interface Return {
  readonly query: Readonly<Record<string, unknown>>
  readonly pending: Pending | undefined
}

async function exchangeCode(
  { flow, sessions, basePath, logger }: IssuerSignInOptions,
  { query: { code, state, error }, pending }: Return,
): Promise<{ readonly id: string } | SignInFault> {
  if (pending === undefined || state !== pending.state) return 'expired'
  if (typeof code !== 'string') {
    logger.warn('the issuer refused a sign-in to the dashboard', {
      error: String(error).slice(0, 200),
    })
    return 'refused'
  }
  try {
    const redirectUri = `${pending.origin}${basePath}${returnPath}`
    const claims = await flow.finish(code, { pending, redirectUri })
    if (claims === undefined || JSON.stringify(claims).length > claimsCharactersMax) return 'refused'
    return (await sessions.openFor(claims)) ?? 'nothing_permitted'
  } catch (cause) {
    logger.warn('the issuer did not accept the code of a sign-in', { error: cause })
    return 'unavailable'
  }
}

function pendingOf(cookie: string | undefined): Pending | undefined {
  try {
    return pendingSchema.parse(JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
}

/** The path of a dashboard page, whatever the cookie contains. */
function ownPath(next = '/'): string {
  const base = 'http://dashboard.invalid'
  if (!URL.canParse(next, base)) return '/'
  const { pathname, search } = new URL(next, base)
  return `${pathname}${search}`
}
