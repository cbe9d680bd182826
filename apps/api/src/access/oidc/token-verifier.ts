import { createHash } from 'node:crypto'
import type { Rate } from '@queue/core'
import { jwtVerify, type JWTPayload } from 'jose'
import type { Authenticate } from '../../http/principal.ts'
import { keyCacheEntriesMax, tokenCacheMs, tokenClockToleranceSeconds } from '../../http/limits.ts'
import type { Principal } from '../../http/principal.ts'
import { Problem } from '../../http/problem.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { type ClaimMapping, principalOf } from './token-claims.ts'

export interface TokenVerifierOptions {
  readonly issuer: string
  /** A token must have at least one of these audiences. */
  readonly audiences: readonly string[]
  readonly keys: IssuerKeys
  readonly mapping: ClaimMapping
  /** Rate limit of a subject. Absent: there is none. */
  readonly rate?: Rate | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

interface Verified {
  readonly principal: Principal
  readonly keysVersion: string | undefined
  readonly cachedUntilMs: number
}

/** Asymmetric signatures only: neither `none` nor an HMAC, whose key would be the public one. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** Accepted `typ` headers: access tokens, and tokens without a type. Other types are for other purposes. */
const types: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/**
 * Verifies tokens: signed by the issuer, for this API, and valid now. Throws `issuer_unavailable` if the keys of the issuer are
 * unknown, because a token cannot be verified without them.
 */
export function createTokenVerifier(options: TokenVerifierOptions): Authenticate {
  const { keys, nowMs } = options
  const verified = new Map<string, Verified>()
  return async (credential) => {
    if (!isToken(credential)) return undefined
    const name = createHash('sha256').update(credential).digest('base64url')
    const known = verified.get(name)
    if (known !== undefined && known.keysVersion === keys.version() && nowMs() < known.cachedUntilMs) {
      return known.principal
    }
    verified.delete(name)
    // Read before the verification: the keys can change meanwhile, and the token was verified by the previous ones.
    const keysVersion = keys.version()
    const principal = await verify(credential, options)
    if (principal === undefined) return undefined
    const cachedUntilMs = Math.min(nowMs() + tokenCacheMs, expiryOf(principal))
    verified.set(name, { principal, keysVersion, cachedUntilMs })
    if (verified.size > keyCacheEntriesMax) verified.delete(verified.keys().next().value ?? name)
    return principal
  }
}

/** When a token is refused, with tolerance for clock differences. */
function expiryOf({ expiresAtMs = 0 }: Principal): number {
  return expiresAtMs + tokenClockToleranceSeconds * 1_000
}

/** Whether it can be a signed token: three base64url parts. */
function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)
}

async function verify(credential: string, options: TokenVerifierOptions): Promise<Principal | undefined> {
  const claims = await claimsOf(credential, options)
  const principal = claims && principalOf(claims, options.mapping)
  const { rate } = options
  return principal && { ...principal, ...(rate !== undefined && { rate }) }
}

/** The claims of a valid token. Undefined if anything is wrong with it. */
export async function claimsOf(
  credential: string,
  { issuer, audiences, keys, nowMs }: Pick<TokenVerifierOptions, 'issuer' | 'audiences' | 'keys' | 'nowMs'>,
): Promise<JWTPayload | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(credential, keys.find, {
      issuer,
      audience: [...audiences],
      algorithms,
      clockTolerance: tokenClockToleranceSeconds,
      currentDate: new Date(nowMs()),
      requiredClaims: ['exp', 'sub'],
    })
    return types.has(protectedHeader.typ?.toLowerCase() ?? 'jwt') ? payload : undefined
  } catch (error) {
    if (error instanceof Problem) throw error
    return undefined
  }
}
