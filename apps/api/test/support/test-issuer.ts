import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** An OpenID Connect issuer in this process. */
export interface TestIssuer {
  readonly url: string
  /** The keys that it shows; may be replaced. */
  readonly keys: IssuerKey[]
  /** What it answers instead, when set. */
  answer: ((req: IncomingMessage, res: ServerResponse) => void) | undefined
  /** Who signs in there, at once and without being asked; undefined: nobody may. */
  subject: JWTPayload | undefined
  /** How often its keys were read. */
  reads(): number
  close(): Promise<void>
}

export interface IssuerKey {
  readonly kid: string
  readonly alg: string
  readonly publicJwk: JWK
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>
}

export async function issuerKey(kid: string, alg = 'RS256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
  return {
    kid,
    alg,
    publicJwk,
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey),
  }
}

/** The one client that people sign in for. */
export const issuerClient = { clientId: 'queue-dashboard', clientSecret: 'a-secret:of the dashboard' }

interface Code {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

/** The issuer, by an address of this machine; another one makes it another site to browsers. */
export async function startIssuerAt(host: string, ...keys: IssuerKey[]): Promise<TestIssuer> {
  let reads = 0
  const issuer = {
    keys,
    answer: undefined as TestIssuer['answer'],
    subject: undefined as TestIssuer['subject'],
  }
  const codes = new Map<string, Code>()
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/jwks') === true) reads += 1
    if (issuer.answer !== undefined) return issuer.answer(req, res)
    const target = new URL(req.url ?? '/', url)
    if (target.pathname === '/authorize')
      return authorize({ target, res, codes, isKnown: issuer.subject !== undefined })
    if (target.pathname === '/token') {
      void redeem({ req, codes }).then(async (code) => answerTokens(res, code && (await idToken(code))))
      return
    }
    res.setHeader('content-type', 'application/json')
    const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` }
    if (req.url === '/.well-known/openid-configuration') {
      res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks`, ...endpoints }))
    } else res.end(JSON.stringify({ keys: issuer.keys.map(({ publicJwk }) => publicJwk) }))
  })
  const idToken = async ({ nonce }: Code): Promise<string | undefined> => {
    const exp = Math.floor(Date.now() / 1_000) + 60
    return keys[0]?.sign({ iss: url, aud: issuerClient.clientId, exp, nonce, ...issuer.subject })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the issuer does not listen')
  const url = `http://${host}:${address.port}`
  return Object.assign(issuer, {
    url,
    reads: () => reads,
    close: async () => {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  })
}

export function startIssuer(...keys: IssuerKey[]): Promise<TestIssuer> {
  return startIssuerAt('127.0.0.1', ...keys)
}

interface AuthorizeOptions {
  readonly target: URL
  readonly res: ServerResponse
  readonly codes: Map<string, Code>
  readonly isKnown: boolean
}

function authorize({ target: { searchParams: params }, res, codes, isKnown }: AuthorizeOptions): void {
  const redirectUri = params.get('redirect_uri') ?? ''
  const back = new URL(redirectUri)
  back.searchParams.set('state', params.get('state') ?? '')
  if (
    isKnown &&
    params.get('code_challenge_method') === 'S256' &&
    params.get('client_id') === issuerClient.clientId
  ) {
    const code = randomUUID()
    const [challenge = '', nonce = ''] = [params.get('code_challenge'), params.get('nonce')].map(
      (one) => one ?? '',
    )
    codes.set(code, { challenge, nonce, redirectUri })
    back.searchParams.set('code', code)
  } else back.searchParams.set('error', 'access_denied')
  res.writeHead(302, { location: back.href }).end()
}

/** The code of a request, once, and only for the client that has asked for it. */
async function redeem({
  req,
  codes,
}: {
  readonly req: IncomingMessage
  readonly codes: Map<string, Code>
}): Promise<Code | undefined> {
  const form = new URLSearchParams(await text(req))
  const name = form.get('code') ?? ''
  const code = codes.get(name)
  codes.delete(name)
  const { clientId, clientSecret } = issuerClient
  const basic = [clientId, clientSecret].map((one) => encodeURIComponent(one)).join(':')
  const isClient = req.headers.authorization === `Basic ${Buffer.from(basic).toString('base64')}`
  const proof = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  const isRight = isClient && code?.challenge === proof && code.redirectUri === form.get('redirect_uri')
  return isRight ? code : undefined
}

function answerTokens(res: ServerResponse, token: string | undefined): void {
  res.setHeader('content-type', 'application/json')
  if (token === undefined) res.statusCode = 400
  res.end(
    JSON.stringify(
      token === undefined ? { error: 'invalid_grant' } : { id_token: token, token_type: 'Bearer' },
    ),
  )
}
