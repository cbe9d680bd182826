// The authorization code flow of OpenID Connect with PKCE (RFC 7636): how people sign in at the issuer.
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { issuerKeysCheckMs, issuerKeysReadMsMin } from '../../http/limits.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { type Discovery, readDiscovery, safeUrl } from './read-discovery.ts'
import { readDocument } from './read-document.ts'
import { claimsOf } from './token-verifier.ts'

export interface AuthorizationCodeOptions {
  readonly issuer: string
  /** Client id of this API at the issuer. */
  readonly clientId: string
  /** Absent for a public client. */
  readonly clientSecret: string | undefined
  /** Requested scopes: `openid`, and those that bring the claims of roles and tenants. */
  readonly scopes: readonly string[]
  readonly keys: IssuerKeys
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

/** The secrets of a pending sign-in, which only the browser keeps. */
export interface PendingSignIn {
  /** Returned by the issuer in the redirect. */
  readonly state: string
  /** Returned by the issuer in the token. */
  readonly nonce: string
  /** Sent with the code, so that a stolen code alone is useless. */
  readonly verifier: string
}

export interface AuthorizationCode {
  /** The URL at which the browser signs in. Throws if the issuer is unavailable. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }>
  /** The claims of the signed-in subject; undefined if the token is not valid. Throws if the issuer refuses the code. */
  finish(
    code: string,
    signIn: { readonly pending: PendingSignIn; readonly redirectUri: string },
  ): Promise<Readonly<Record<string, unknown>> | undefined>
}

const tokensSchema = z.object({ id_token: z.string() })

export function createAuthorizationCode(options: AuthorizationCodeOptions): AuthorizationCode {
  const { issuer, clientId, keys, scopes, nowMs } = options
  const discover = discoveryCache(options)
  return {
    begin: async (redirectUri) => {
      const { authorization_endpoint: endpoint } = await discover()
      const pending = { state: randomText(), nonce: randomText(), verifier: randomText() }
      const url = new URL(safeUrl('authorization_endpoint', endpoint))
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: createHash('sha256').update(pending.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { url: url.href, pending }
    },
    finish: async (code, { pending, redirectUri }) => {
      const { token_endpoint: endpoint } = await discover()
      const url = safeUrl('token_endpoint', endpoint)
      const tokens = tokensSchema.parse(
        await readDocument(url, tokenRequest(options, { code, redirectUri, verifier: pending.verifier })),
      )
      const claims = await claimsOf(tokens.id_token, { issuer, audiences: [clientId], keys, nowMs })
      if (claims === undefined || claims['nonce'] !== pending.nonce) return undefined
      return isForUs(claims, clientId) ? claims : undefined
    },
  }
}

/** A token with several audiences must name the client that requested it (OpenID Connect Core, section 3.1.3.7). */
function isForUs(claims: Readonly<Record<string, unknown>>, clientId: string): boolean {
  const { aud, azp } = claims
  return azp === clientId || (azp === undefined && (!Array.isArray(aud) || aud.length === 1))
}

interface TokenRequest {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string
}

function tokenRequest(
  { clientId, clientSecret }: AuthorizationCodeOptions,
  { code, redirectUri, verifier }: TokenRequest,
): RequestInit {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  if (clientSecret === undefined) {
    body.set('client_id', clientId)
    return { method: 'POST', body }
  }
  const pair = [clientId, clientSecret].map((text) => encodeURIComponent(text)).join(':')
  return { method: 'POST', body, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } }
}

/**
 * The discovery document, read again at the same age as the keys of the issuer. A failed read answers all sign-ins of the next ten
 * seconds, so that many sign-ins do not become many requests to an issuer that fails.
 */
function discoveryCache({ issuer, nowMs }: AuthorizationCodeOptions): () => Promise<Discovery> {
  let discovery: Promise<Discovery> | undefined
  let readAtMs = 0
  let keptMs = 0
  const read = (): Promise<Discovery> => {
    const reading = readDiscovery(issuer)
    readAtMs = nowMs()
    keptMs = issuerKeysCheckMs
    reading.catch(() => (keptMs = issuerKeysReadMsMin))
    return reading
  }
  return async () => {
    if (discovery === undefined || nowMs() - readAtMs >= keptMs) discovery = read()
    return discovery
  }
}

function randomText(): string {
  return randomBytes(32).toString('base64url')
}
