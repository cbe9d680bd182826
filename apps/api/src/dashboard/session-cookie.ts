import type { Request, Response } from 'express'

/**
 * The header without which a cookie opens nothing. A page of another site cannot send it: a browser asks first, and is not
 * answered. So no link, form or picture acts in the name of whoever is signed in.
 */
const sessionHeader = 'x-queue-session'

/** A cookie has one name over TLS and one without. Browsers take the prefix over TLS alone, and only from the host itself. */
const sessionName = { secure: '__Host-queue_session', plain: 'queue_session' }
const signInName = { secure: '__Host-queue_sign_in', plain: 'queue_sign_in' }

/** The session that a request names, if it comes from a page of ours. */
export function sessionOf(req: Request): string | undefined {
  const { 'sec-fetch-site': site, [sessionHeader]: header } = req.headers
  if (header === undefined || (site !== undefined && site !== 'same-origin')) return undefined
  return cookieOf(req, sessionName)
}

/** What a browser brings back that has gone to the issuer to sign in. */
export function signInOf(req: Request): string | undefined {
  return cookieOf(req, signInName)
}

function cookieOf(req: Request, names: typeof sessionName): string | undefined {
  const cookies = new Map(
    (req.headers.cookie ?? '').split(';').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      return [name.trim(), value.trim()] as const
    }),
  )
  return cookies.get(names.secure) ?? cookies.get(names.plain)
}

export interface SetCookie {
  readonly res: Response
  readonly value: string
  readonly maxAgeSeconds: number
  /** The origin of the page: it says whether the browser came by TLS, which may end at a proxy before us. */
  readonly origin: string | undefined
}

/** Sent from pages of ours alone. */
export function setSessionCookie(cookie: SetCookie): void {
  setCookie(cookie, sessionName, 'Strict')
}

/** Also sent when the issuer leads the browser back, which is a page of another site. */
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
