import { hostNameOf, isLoopbackHost } from '@queue/service'
import type { Request, Response } from 'express'

/**
 * Without this header, a session cookie is ignored. Pages of other sites cannot send it, because the browser asks first (CORS) and
 * gets no permission. So no link, form or image can act on behalf of a signed-in person.
 */
const sessionHeader = 'x-queue-session'

/** Cookie names with and without TLS. Browsers accept the prefix only over TLS, and only from the host itself. */
const sessionName = { secure: '__Host-queue_session', plain: 'queue_session' }
const signInName = { secure: '__Host-queue_sign_in', plain: 'queue_sign_in' }

/** The session of a request, if a page of the dashboard has sent it. */
export function sessionOf(req: Request): string | undefined {
  const { 'sec-fetch-site': site, [sessionHeader]: header } = req.headers
  if (header === undefined || (site !== undefined && site !== 'same-origin')) return undefined
  return cookieOf(req, sessionName)
}

/** The cookie of a pending sign-in at the issuer. */
export function signInOf(req: Request): string | undefined {
  return cookieOf(req, signInName)
}

/**
 * The cookie, if there is exactly one. Another host of the same site, or anybody on the way of a request without
 * TLS, can set a second one, or one without the prefix, with a session of their own. So over TLS only the prefix counts.
 */
function cookieOf(req: Request, names: typeof sessionName): string | undefined {
  const valuesOf = (wanted: string): string[] =>
    (req.headers.cookie ?? '').split(';').flatMap((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      return name.trim() === wanted ? [value.trim()] : []
    })
  const [secure, plain] = [valuesOf(names.secure), isOverTls(req) ? [] : valuesOf(names.plain)]
  const values = secure.length > 0 ? secure : plain
  return values.length === 1 ? values[0] : undefined
}

/**
 * Whether the browser uses TLS, which a proxy may terminate. Browsers send Sec-Fetch-Site over TLS, and without it only to
 * loopback hosts.
 */
function isOverTls({ headers: { host = '', 'sec-fetch-site': site } }: Request): boolean {
  return site !== undefined && !isLoopbackHost(hostNameOf(host))
}

export interface SetCookie {
  readonly res: Response
  readonly value: string
  readonly maxAgeSeconds: number
  /** The origin of the page. It shows whether the browser uses TLS, which a proxy may terminate. */
  readonly origin: string | undefined
}

/** Sent only from pages of the same site. */
export function setSessionCookie(cookie: SetCookie): void {
  setCookie(cookie, sessionName, 'Strict')
}

/** Also sent when the issuer, which is another site, redirects back. */
export function setSignInCookie(cookie: SetCookie): void {
  setCookie(cookie, signInName, 'Lax')
}

function setCookie(
  { res, value, maxAgeSeconds, origin }: SetCookie,
  names: typeof sessionName,
  sameSite: 'Strict' | 'Lax',
): void {
  const isSecure = origin?.startsWith('https:') ?? false
  const pair = `${isSecure ? names.secure : names.plain}=${value}`
  const attributes = `; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
  res.append('set-cookie', `${pair}${attributes}`)
}
