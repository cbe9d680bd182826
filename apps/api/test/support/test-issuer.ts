import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

/** An OpenID Connect issuer in this process. */
export interface TestIssuer {
  readonly url: string
  /** The keys that it shows; may be replaced. */
  readonly keys: IssuerKey[]
  /** What it answers instead, when set. */
  answer: ((req: IncomingMessage, res: ServerResponse) => void) | undefined
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

export async function startIssuer(...keys: IssuerKey[]): Promise<TestIssuer> {
  let reads = 0
  const issuer = { keys, answer: undefined as TestIssuer['answer'] }
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/jwks') === true) reads += 1
    if (issuer.answer !== undefined) return issuer.answer(req, res)
    res.setHeader('content-type', 'application/json')
    if (req.url === '/.well-known/openid-configuration') {
      res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks` }))
    } else res.end(JSON.stringify({ keys: issuer.keys.map(({ publicJwk }) => publicJwk) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the issuer does not listen')
  const url = `http://127.0.0.1:${address.port}`
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
