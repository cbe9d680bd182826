import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Rate } from '@queue/core'
import {
  type Claims,
  type ConnectedDatabase,
  createSession,
  deleteSession,
  findSessions,
  type NewSession,
  type StoredSession,
} from '@queue/core/internal'
import { principalOfKey } from '../access/key-verifier.ts'
import type { KeyCache } from '../access/key-cache.ts'
import { countRequest, type RequestRates } from '../access/request-rates.ts'
import { createLookUpCache } from '../access/look-up-cache.ts'
import { createLookUps } from '../access/look-ups.ts'
import { lookUpIdsMax, sessionCacheMs, sessionMs, sessionsKeptMax } from '../http/limits.ts'
import { type Authenticate, type Principal, tokenHolder } from '../http/principal.ts'

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
  open(credential: string): Promise<OpenedSession | undefined>
  /** Opens a session for a subject of the issuer; undefined if its claims grant no permission. */
  openFor(claims: Claims): Promise<OpenedSession | undefined>
  /** Undefined once the session has expired, was closed, or its key is no longer valid. */
  find(id: string): Promise<OpenSession | undefined>
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
    const { session } = cache.lookUp(id)
    const expiresAt = (await session)?.expiresAt
    return expiresAt && { id, expiresAt }
  }
  return {
    open: async (credential) => {
      const isToken = token !== undefined && isProof(digest(credential), digest(token))
      if (isToken) return create((id) => ({ tokenProof: proofOf(token, id) }))
      const principal = await authenticate(credential)
      if (principal?.who.type !== 'key') return undefined
      await countRequest(principal, rates)
      return create(() => ({ keyId: principal.who.id }))
    },
    openFor: async (claims) => (principalOfClaims?.(claims) ? create(() => ({ claims })) : undefined),
    find: async (id) => {
      if (!/^[\w-]{43}$/.test(id)) return undefined
      const { session: reading, readAtMs } = cache.lookUp(id)
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
}

/**
 * Caches sessions. When one must be read again, the others that are in use and about to expire are read in the same query, so that
 * any number of viewers costs one query.
 */
function createSessionCache({ database, nowMs }: Pick<SessionsOptions, 'database' | 'nowMs'>) {
  const cache = createLookUpCache<CachedSession>(sessionsKeptMax)
  const read = async (ids: readonly string[]): Promise<ReadonlyMap<string, StoredSession>> => {
    const idOf = new Map(ids.map((id) => [digest(id).toString('hex'), id]))
    const sessions = await findSessions(database, ids.map(digest))
    return new Map([...sessions].map(([hex, session]) => [idOf.get(hex) ?? '', session]))
  }
  const lookUps = createLookUps(read)

  const keep = (id: string, session: CachedSession['session'], usedAtMs = nowMs()): CachedSession => {
    const entry: CachedSession = { session, readAtMs: nowMs(), usedAtMs }
    cache.keep(id, entry, session)
    return entry
  }
  const isDueSoon = ({ readAtMs, usedAtMs }: CachedSession): boolean =>
    nowMs() - readAtMs >= sessionCacheMs / 2 && nowMs() - usedAtMs < sessionCacheMs
  const readAgain = (id: string): CachedSession => {
    const others = [...cache.found()].filter(([other, entry]) => other !== id && isDueSoon(entry))
    const readToo = others.slice(0, lookUpIdsMax - 1)
    const sessions = read([id, ...readToo.map(([other]) => other)])
    const sessionOf = async (sessionId: string) => (await sessions).get(sessionId)
    for (const [other, { usedAtMs }] of readToo) keep(other, sessionOf(other), usedAtMs)
    return keep(id, sessionOf(id))
  }

  return {
    lookUp: (id: string): CachedSession => {
      const cached = cache.get(id)
      if (cached === undefined) return keep(id, lookUps.find(id))
      cached.usedAtMs = nowMs()
      if (nowMs() - cached.readAtMs < sessionCacheMs) return cached
      return cache.isFound(id) ? readAgain(id) : keep(id, lookUps.find(id))
    },
    forget: (id: string): void => cache.delete(id),
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
