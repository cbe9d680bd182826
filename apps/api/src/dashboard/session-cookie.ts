import type { Request, Response } from 'express'

/**
 * The header without which a cookie opens nothing. A page of another site cannot send it: a browser asks first, and is not
 * answered. So no link, form or picture acts in the name of whoever is signed in.
 */
const sessionHeader = 'x-queue-session'

const plainName = 'queue_session'
/** Browsers take a cookie with this prefix over TLS alone, and only from the host itself. */
const secureName = '__Host-queue_session'

/** The session that a request names, if it comes from a page of ours. */
export function sessionOf(req: Request): string | undefined {
  const { 'sec-fetch-site': site, [sessionHeader]: header } = req.headers
  if (header === undefined || (site !== undefined && site !== 'same-origin')) return undefined
  const cookies = new Map(
    (req.headers.cookie ?? '').split(';').map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2)
      return [name.trim(), value.trim()] as const
    }),
  )
  return cookies.get(secureName) ?? cookies.get(plainName)
}

export interface SetCookie {
  readonly req: Request
  readonly res: Response
  readonly value: string
  readonly maxAgeSeconds: number
}

/** The origin of the page says whether the browser came by TLS, which may end at a proxy before us. */
export function setSessionCookie({ req, res, value, maxAgeSeconds }: SetCookie): void {
  const isSecure = req.headers.origin?.startsWith('https:') ?? false
  const pair = `${isSecure ? secureName : plainName}=${value}`
  const attributes = `; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${isSecure ? '; Secure' : ''}`
  res.setHeader('set-cookie', `${pair}${attributes}`)
}
