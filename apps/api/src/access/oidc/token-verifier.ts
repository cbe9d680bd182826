import { createHash } from 'node:crypto'
import type { Rate } from '@queue/core/access'
import { jwtVerify, type JWTPayload } from 'jose'
import type { Authenticate } from '../../http/authenticate.ts'
import { keyCacheEntriesMax, tokenCacheMs, tokenClockToleranceSeconds } from '../../http/limits.ts'
import type { Principal } from '../../http/principal.ts'
import { Problem } from '../../http/problem.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { type ClaimMapping, principalOf } from './token-claims.ts'

export interface TokenVerifierOptions {
  readonly issuer: string
  /** One of these has to be among those that a token is for. */
  readonly audiences: readonly string[]
  readonly keys: IssuerKeys
  readonly mapping: ClaimMapping
  /** How many requests a subject may send; absent: as many as it likes. */
  readonly rate?: Rate | undefined
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
}

interface Verified {
  readonly principal: Principal
  readonly keysVersion: string | undefined
  readonly untilMs: number
}

/** Signatures by a key that only the issuer has. Neither `none` nor an HMAC, whose key would be the public one. */
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

/** Of a token, in its header: an access token, or one that does not say. Others of the issuer say what they are for. */
const types: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/**
 * Says whose token a credential is: one that the issuer has signed, for this API, and that is valid now. Throws
 * `issuer_unavailable` when the issuer's keys are not known: nobody is let in on a token that nobody has checked.
 */
export function createTokenVerifier(options: TokenVerifierOptions): Authenticate {
  const { keys, nowMs } = options
  const verified = new Map<string, Verified>()
  return async (credential) => {
    if (!isToken(credential)) return undefined
    const name = createHash('sha256').update(credential).digest('base64url')
    const known = verified.get(name)
    if (known !== undefined && known.keysVersion === keys.version() && nowMs() < known.untilMs) {
      return known.principal
    }
    verified.delete(name)
    // Before the look: the keys may be read again beside it, and the token has been judged by those of before.
    const keysVersion = keys.version()
    const principal = await verify(credential, options)
    if (principal === undefined) return undefined
    const untilMs = Math.min(nowMs() + tokenCacheMs, expiryOf(principal))
    verified.set(name, { principal, keysVersion, untilMs })
    if (verified.size > keyCacheEntriesMax) verified.delete(verified.keys().next().value ?? name)
    return principal
  }
}

/** From when on a token is refused. */
function expiryOf({ untilMs = 0 }: Principal): number {
  return untilMs + tokenClockToleranceSeconds * 1_000
}

/** Whether it could be a signed token: three parts of base64url. */
function isToken(credential: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)
}

async function verify(credential: string, options: TokenVerifierOptions): Promise<Principal | undefined> {
  const claims = await claimsOf(credential, options)
  const principal = claims && principalOf(claims, options.mapping)
  const { rate } = options
  return principal && { ...principal, ...(rate !== undefined && { rate }) }
}

/** What a token says, once it is verified. Undefined for whatever is wrong with it: it is not said what. */
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
