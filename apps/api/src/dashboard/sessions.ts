import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ConnectedDatabase } from '@queue/core'
import {
  type Claims,
  createSession,
  deleteSession,
  findSessions,
  type NewSession,
  type Rate,
  type StoredSession,
} from '@queue/core/access'
import { principalOfKey } from '../access/key-verifier.ts'
import type { KeyCache } from '../access/key-cache.ts'
import { countRequest, type RequestRates } from '../access/request-rates.ts'
import { createAddressLimiter } from '../access/address-limiter.ts'
import type { Authenticate } from '../http/authenticate.ts'
import { sessionCacheMs, sessionMs, sessionsKeptMax, sessionsReadMax } from '../http/limits.ts'
import { type Principal, tokenHolder } from '../http/principal.ts'

/** An open session. */
export interface OpenSession {
  readonly principal: Principal
  readonly expiresAt: Date
}

/** A session that was just opened, with the value of its cookie. */
export interface OpenedSession {
  readonly id: string
  readonly expiresAt: Date
}

/** The sessions of the dashboard. They are stored in the database, because API processes share them. */
export interface Sessions {
  /** Opens a session for a key or API_TOKEN; undefined if the credential is not valid. */
  open(credential: string, address?: string): Promise<OpenedSession | undefined>
  /** Opens a session for a subject of the issuer; undefined if its claims grant no permission. */
  openFor(claims: Claims): Promise<OpenedSession | undefined>
  /** Undefined once the session has expired, was closed, or its key is no longer valid. */
  find(id: string, address?: string): Promise<OpenSession | undefined>
  close(id: string): Promise<void>
}

export interface SessionsOptions {
  readonly database: ConnectedDatabase
  /** Verifies a credential that is not API_TOKEN. */
  readonly authenticate: Authenticate
  readonly keys: KeyCache
  readonly rateDefault?: Rate | undefined
  /** Counts sign-ins against the rates of their keys. Absent: none is limited. */
  readonly rates?: RequestRates | undefined
  /** API_TOKEN. Sessions that were opened with it end when it changes. */
  readonly token: string | undefined
  /** The principal of claims; undefined if another issuer made them, or they grant no permission. Absent without an issuer. */
  readonly principalOfClaims?: ((claims: Claims) => Principal | undefined) | undefined
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
}

/** An id is 256 random bits in base64url. The database has its digest and, for API_TOKEN, a proof that needs the id. */
export function createSessions(options: SessionsOptions): Sessions {
  const { database, authenticate, keys, token, nowMs, rateDefault, rates, principalOfClaims } = options
  const cache = createSessionCache(options)
  const principalOf = async (session: StoredSession, id: string): Promise<Principal | undefined> => {
    const { keyId, tokenProof, claims, expiresAt } = session
    if (claims !== null) {
      const subject = principalOfClaims?.(claims)
      return subject && { ...subject, expiresAtMs: expiresAt.getTime() }
    }
    if (keyId === null) return isProof(tokenProof, proofOf(token, id)) ? tokenHolder : undefined
    const key = await keys.find(keyId)
    return key && principalOfKey(key, rateDefault)
  }
  const create = async (
    credentialOf: (id: string) => NewSession['credential'],
  ): Promise<OpenedSession | undefined> => {
    const id = randomBytes(32).toString('base64url')
    await createSession(database, { id: digest(id), credential: credentialOf(id), expiresInMs: sessionMs })
    const { session } = cache.lookUp(id, undefined)
    const expiresAt = (await session)?.expiresAt
    return expiresAt && { id, expiresAt }
  }
  return {
    open: async (credential, address) => {
      const isToken = token !== undefined && isProof(digest(credential), digest(token))
      if (isToken) return create((id) => ({ tokenProof: proofOf(token, id) }))
      const principal = await authenticate(credential, address)
      if (principal?.who.type !== 'key') return undefined
      await countRequest(principal, rates)
      return create(() => ({ keyId: principal.who.id }))
    },
    openFor: async (claims) => (principalOfClaims?.(claims) ? create(() => ({ claims })) : undefined),
    find: async (id, address) => {
      if (!/^[\w-]{43}$/.test(id)) return undefined
      const { session: reading, readAtMs } = cache.lookUp(id, address)
      const session = await reading
      if (session === undefined || nowMs() - readAtMs >= session.expiresInMs) return undefined
      const principal = await principalOf(session, id)
      return principal && { principal, expiresAt: session.expiresAt }
    },
    close: async (id) => {
      cache.forget(id)
      await deleteSession(database, digest(id))
    },
  }
}

interface CachedSession {
  readonly session: Promise<StoredSession | undefined>
  readonly readAtMs: number
  usedAtMs: number
  exists: boolean
}

/**
 * Caches sessions. When one must be read again, the others that are in use and about to expire are read in the same query, so that
 * any number of viewers costs one query. Look-ups of unknown ids are limited for each address, as those of keys.
 */
function createSessionCache({ database, nowMs }: Pick<SessionsOptions, 'database' | 'nowMs'>) {
  const cache = new Map<string, CachedSession>()
  const limiter = createAddressLimiter('too_many_unknown_keys', nowMs)

  const keep = (id: string, session: CachedSession['session'], usedAtMs = nowMs()): CachedSession => {
    const entry: CachedSession = { session, readAtMs: nowMs(), usedAtMs, exists: false }
    cache.delete(id)
    cache.set(id, entry)
    if (cache.size > sessionsKeptMax) cache.delete(cache.keys().next().value ?? id)
    session.then(
      (stored) => (entry.exists = stored !== undefined),
      () => cache.get(id) === entry && cache.delete(id),
    )
    return entry
  }
  const read = async (ids: readonly string[]) => findSessions(database, ids.map(digest))
  const readFirst = async (id: string, address: string | undefined): Promise<StoredSession | undefined> => {
    const release = limiter.reserve(address)
    const session = (await read([id])).get(digest(id).toString('hex'))
    if (session !== undefined) release()
    return session
  }
  const isDueSoon = ({ exists, readAtMs, usedAtMs }: CachedSession): boolean =>
    exists && nowMs() - readAtMs >= sessionCacheMs / 2 && nowMs() - usedAtMs < sessionCacheMs
  const readAgain = (id: string): CachedSession => {
    const others = [...cache].filter(([other, entry]) => other !== id && isDueSoon(entry))
    const readToo = others.slice(0, sessionsReadMax - 1)
    const sessions = read([id, ...readToo.map(([other]) => other)])
    const sessionOf = async (sessionId: string) => (await sessions).get(digest(sessionId).toString('hex'))
    for (const [other, { usedAtMs }] of readToo) keep(other, sessionOf(other), usedAtMs)
    return keep(id, sessionOf(id))
  }

  return {
    lookUp: (id: string, address: string | undefined): CachedSession => {
      const cached = cache.get(id)
      if (cached === undefined) return keep(id, readFirst(id, address))
      cached.usedAtMs = nowMs()
      if (nowMs() - cached.readAtMs < sessionCacheMs) return cached
      return cached.exists ? readAgain(id) : keep(id, readFirst(id, address))
    },
    forget: (id: string): void => void cache.delete(id),
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function proofOf(token: string | undefined, id: string): Buffer {
  return createHmac('sha256', id)
    .update(token ?? '')
    .digest()
}

function isProof(actual: Buffer | null, expected: Buffer): boolean {
  return actual !== null && actual.length === expected.length && timingSafeEqual(actual, expected)
}
