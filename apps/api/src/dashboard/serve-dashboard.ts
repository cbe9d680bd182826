import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Logger } from '@queue/telemetry'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import type { AuthorizationCode } from '../access/oidc/authorization-code.ts'
import { createAddressLimiter } from '../access/address-limiter.ts'
import { goOnInTurn, type LoopTurns } from '../access/loop-turns.ts'
import { matchesEntityTag } from '../http/headers.ts'
import { parseJson } from '../http/json-body.ts'
import { sessionMs } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { contextOf } from '../http/request-context.ts'
import { sendAnswer } from '../http/send.ts'
import { parseBody } from '../http/serve-operation.ts'
import { createUnverifiedBodies } from '../http/unverified-bodies.ts'
import { finishSignIn, type SignInGuards, startSignIn } from './issuer-sign-in.ts'
import { type Bundle, type BundleFile, scriptHashes } from './load-bundle.ts'
import { sessionOf, setSessionCookie } from './session-cookie.ts'
import type { Sessions } from './sessions.ts'

export interface DashboardOptions {
  readonly bundle: Bundle
  /** Path prefix of the API in browsers: empty, or such as `/queue`. */
  readonly basePath: string
  /** Absent without authentication: nobody has to sign in. */
  readonly sessions: Sessions | undefined
  /** Sign-in at an OpenID Connect issuer. Absent: not available. */
  readonly signIn?: IssuerSignIn | undefined
  /** Its visitors take turns as callers without a credential: it answers before one is verified. */
  readonly turns: Pick<LoopTurns, 'take'>
  readonly logger: Pick<Logger, 'warn'>
}

/** An OpenID Connect issuer at which people sign in. */
export interface IssuerSignIn {
  /** The name on the page. */
  readonly name: string
  readonly flow: AuthorizationCode
}

/** Serves the dashboard below `/dashboard`: its page for every path that is not a file, its files, and its sessions. */
export function serveDashboard(options: DashboardOptions): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use('/dashboard', (_req, res, next) => {
    const context = contextOf(res)
    context.route = '/dashboard'
    return goOnInTurn(options.turns, context, next)
  })
  const guards: SignInGuards = {
    bodies: createUnverifiedBodies(),
    limiter: createAddressLimiter(() => performance.now()),
  }
  const session = router.route('/dashboard/session')
  session.get(showSession(options))
  session.post(openSession(options.sessions, guards))
  session.delete(signOut(options.sessions))
  session.all(refuseOthers('GET, HEAD, POST, DELETE'))
  serveIssuer(router, options, guards)
  const asset = router.route('/dashboard/assets/:name')
  asset.get(sendAsset(options.bundle))
  asset.all(refuseOthers('GET, HEAD'))
  const page = router.route(/^\/dashboard(?:\/(?!assets\/).*)?$/)
  page.get(sendPage(options))
  page.all(refuseOthers('GET, HEAD'))
  return router
}

function serveIssuer(
  router: Router,
  { sessions, signIn, basePath, logger }: DashboardOptions,
  guards: SignInGuards,
): void {
  if (sessions === undefined || signIn === undefined) return
  const options = { flow: signIn.flow, sessions, basePath, guards, logger }
  const route = router.route('/dashboard/session/issuer')
  route.get(finishSignIn(options))
  route.post(startSignIn(options))
  route.all(refuseOthers('GET, HEAD, POST'))
}

function refuseOthers(allow: string): RequestHandler {
  return () => {
    throw new Problem('method_not_allowed', { detail: `the path supports only ${allow}`, headers: { allow } })
  }
}

/** Whether a sign-in is required, and done. Not a 401, because browsers report that as an error of the page. */
function showSession({ sessions, signIn }: DashboardOptions): RequestHandler {
  return async (req, res) => {
    const id = sessionOf(req)
    const open = id === undefined ? undefined : await sessions?.find(id)
    const json = {
      required: sessions !== undefined,
      signed_in: open !== undefined,
      expires_at: open?.expiresAt.toISOString() ?? null,
      issuer: signIn?.name ?? null,
    }
    sendAnswer(res, { status: 200, json })
  }
}

const credentialSchema = z.strictObject({ key: z.string().min(1).max(1_000) })

function openSession(sessions: Sessions | undefined, { bodies, limiter }: SignInGuards): RequestHandler {
  return async (req, res) => {
    if (sessions === undefined) throw new Problem('not_found')
    const { client } = contextOf(res)
    const body = parseJson(await bodies.read(req, client))
    const { key } = parseBody({ schema: credentialSchema, refusedAs: 'invalid_body' }, body)
    // Each sign-in writes a session, so one with a valid credential counts too.
    limiter.reserve(client)
    const opened = await sessions.open(key)
    if (opened === undefined)
      throw new Problem('unauthorized', { detail: 'the key is not valid: check it, or use another one' })
    setSessionCookie({ res, value: opened.id, maxAgeSeconds: sessionMs / 1_000, origin: req.headers.origin })
    sendAnswer(res, { status: 200, json: { expires_at: opened.expiresAt.toISOString() } })
  }
}

function signOut(sessions: Sessions | undefined): RequestHandler {
  return async (req, res) => {
    const id = sessionOf(req)
    if (id !== undefined) await sessions?.close(id)
    setSessionCookie({ res, value: '', maxAgeSeconds: 0, origin: req.headers.origin })
    sendAnswer(res, { status: 204 })
  }
}

/** Nothing from other hosts, and no inline scripts but those of the page, by their hashes. */
function policyOf(page: string): string {
  const directives = {
    'default-src': ["'none'"],
    'base-uri': ["'self'"],
    'connect-src': ["'self'"],
    'font-src': ["'self'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
    'img-src': ["'self'", 'data:'],
    'script-src': ["'self'", ...scriptHashes(page)],
    'style-src': ["'self'"],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ')
}

function sendPage({ bundle, basePath }: DashboardOptions): RequestHandler {
  const html = bundle.page.replace('<head>', `<head>\n    <base href="${basePath}/dashboard/">`)
  const policy = policyOf(html)
  const identity = Buffer.from(html)
  const file = {
    type: 'text/html; charset=utf-8',
    bytes: { identity, gzip: gzipSync(identity), br: brotliCompressSync(identity) },
  }
  const etag = `"${createHash('sha256').update(identity).digest('base64url')}"`
  return (req, res) => {
    res.setHeader('content-security-policy', policy)
    res.setHeader('cache-control', 'no-cache')
    res.setHeader('etag', etag)
    if (matchesEntityTag(req.headers['if-none-match'], etag)) {
      res.statusCode = 304
      res.end()
    } else sendFile({ req, res, file })
  }
}

function sendAsset({ assets }: Bundle): RequestHandler {
  return (req, res) => {
    const file = assets.get(String(req.params['name']))
    if (file === undefined) throw new Problem('not_found')
    res.setHeader('cache-control', 'public, max-age=31536000, immutable')
    sendFile({ req, res, file })
  }
}

interface SentFile {
  readonly req: Request
  readonly res: Response
  readonly file: BundleFile
}

function sendFile({ req, res, file: { type, bytes } }: SentFile): void {
  const accepted = req.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((candidate) =>
    new RegExp(`\\b${candidate}\\b(?!;q=0)`).test(accepted),
  )
  const body = bytes[encoding ?? 'identity']
  if (encoding !== undefined) res.setHeader('content-encoding', encoding)
  res.setHeader('vary', 'Accept-Encoding')
  res.setHeader('content-type', type)
  res.setHeader('content-length', body.length)
  res.end(body)
}
