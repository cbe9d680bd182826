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
import type { KnownKeys } from '../access/known-keys.ts'
import { createUnknownKeys } from '../access/unknown-keys.ts'
import type { Authenticate } from '../http/authenticate.ts'
import { sessionCacheMs, sessionMs, sessionsKeptMax, sessionsReadMax } from '../http/limits.ts'
import { type Principal, tokenHolder } from '../http/principal.ts'

/** An open session: whose it is, and until when. */
export interface OpenSession {
  readonly principal: Principal
  readonly expiresAt: Date
}

/** What its cookie holds, and until when. */
export interface NewlyOpened {
  readonly id: string
  readonly expiresAt: Date
}

/** Who is signed in. Kept in the database, because the processes of the API share them. */
export interface Sessions {
  /** Opens one for whoever has this credential; undefined when it is nobody's. */
  open(credential: string, address?: string): Promise<NewlyOpened | undefined>
  /** Opens one for a subject, by what the issuer has said of it; undefined when that permits nothing. */
  openFor(claims: Claims): Promise<NewlyOpened | undefined>
  /** Undefined once it has ended, by its time, by whoever opened it, or with its key. */
  find(id: string, address?: string): Promise<OpenSession | undefined>
  close(id: string): Promise<void>
}

export interface SessionsOptions {
  readonly database: ConnectedDatabase
  /** Whose a credential is that is not the token. */
  readonly authenticate: Authenticate
  readonly keys: KnownKeys
  readonly rateDefault?: Rate | undefined
  /** The token of the API: sessions that were opened with it end when it changes. */
  readonly token: string | undefined
  /** Who a subject is by its claims; undefined when they are of another issuer, or permit nothing. Absent: there is no issuer. */
  readonly principalOfClaims?: ((claims: Claims) => Principal | undefined) | undefined
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number
}

/** An id is 256 random bits, base64url; the database has its digest, and for the token a proof that only the id can make. */
export function createSessions(options: SessionsOptions): Sessions {
  const { database, authenticate, keys, token, nowMs, rateDefault, principalOfClaims } = options
  const known = createKnownSessions(options)
  const principalOf = async (session: StoredSession, id: string): Promise<Principal | undefined> => {
    const { keyId, tokenProof, claims, expiresAt } = session
    if (claims !== null) {
      const subject = principalOfClaims?.(claims)
      return subject && { ...subject, untilMs: expiresAt.getTime() }
    }
    if (keyId === null) return isProof(tokenProof, proofOf(token, id)) ? tokenHolder : undefined
    const key = await keys.find(keyId)
    return key && principalOfKey(key, rateDefault)
  }
  const create = async (
    credentialOf: (id: string) => NewSession['credential'],
  ): Promise<NewlyOpened | undefined> => {
    const id = randomBytes(32).toString('base64url')
    await createSession(database, { id: digest(id), credential: credentialOf(id), expiresInMs: sessionMs })
    const { session } = known.lookUp(id, undefined)
    const expiresAt = (await session)?.expiresAt
    return expiresAt && { id, expiresAt }
  }
  return {
    open: async (credential, address) => {
      const isToken = token !== undefined && isProof(digest(credential), digest(token))
      if (isToken) return create((id) => ({ tokenProof: proofOf(token, id) }))
      const who = (await authenticate(credential, address))?.who
      return who?.type === 'key' ? create(() => ({ keyId: who.id })) : undefined
    },
    openFor: async (claims) => (principalOfClaims?.(claims) ? create(() => ({ claims })) : undefined),
    find: async (id, address) => {
      if (!/^[\w-]{43}$/.test(id)) return undefined
      const { session: reading, askedAtMs } = known.lookUp(id, address)
      const session = await reading
      if (session === undefined || nowMs() - askedAtMs >= session.expiresInMs) return undefined
      const principal = await principalOf(session, id)
      return principal && { principal, expiresAt: session.expiresAt }
    },
    close: async (id) => {
      known.forget(id)
      await deleteSession(database, digest(id))
    },
  }
}

interface Known {
  readonly session: Promise<StoredSession | undefined>
  readonly askedAtMs: number
  usedAtMs: number
  exists: boolean
}

/**
 * What the database has said of sessions. One that has to be read again takes the others with it that are in use and about to
 * be: as many who look at a page cost one read. Whoever tries ids that are none is slowed down by their address, as with keys.
 */
function createKnownSessions({ database, nowMs }: Pick<SessionsOptions, 'database' | 'nowMs'>) {
  const known = new Map<string, Known>()
  const unknown = createUnknownKeys(nowMs)

  const keep = (id: string, session: Known['session'], usedAtMs = nowMs()): Known => {
    const entry: Known = { session, askedAtMs: nowMs(), usedAtMs, exists: false }
    known.delete(id)
    known.set(id, entry)
    if (known.size > sessionsKeptMax) known.delete(known.keys().next().value ?? id)
    session.then(
      (found) => (entry.exists = found !== undefined),
      () => known.get(id) === entry && known.delete(id),
    )
    return entry
  }
  const read = async (ids: readonly string[]) => findSessions(database, ids.map(digest))
  const readFirst = async (id: string, address: string | undefined): Promise<StoredSession | undefined> => {
    const exists = unknown.lookUp(address)
    const session = (await read([id])).get(digest(id).toString('hex'))
    if (session !== undefined) exists()
    return session
  }
  const isDueSoon = ({ exists, askedAtMs, usedAtMs }: Known): boolean =>
    exists && nowMs() - askedAtMs >= sessionCacheMs / 2 && nowMs() - usedAtMs < sessionCacheMs
  const readAgain = (id: string): Known => {
    const others = [...known].filter(([other, entry]) => other !== id && isDueSoon(entry))
    const readToo = others.slice(0, sessionsReadMax - 1)
    const sessions = read([id, ...readToo.map(([other]) => other)])
    const found = async (one: string) => (await sessions).get(digest(one).toString('hex'))
    for (const [other, { usedAtMs }] of readToo) keep(other, found(other), usedAtMs)
    return keep(id, found(id))
  }

  return {
    lookUp: (id: string, address: string | undefined): Known => {
      const cached = known.get(id)
      if (cached === undefined) return keep(id, readFirst(id, address))
      cached.usedAtMs = nowMs()
      if (nowMs() - cached.askedAtMs < sessionCacheMs) return cached
      return cached.exists ? readAgain(id) : keep(id, readFirst(id, address))
    },
    forget: (id: string): void => void known.delete(id),
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

function isProof(given: Buffer | null, expected: Buffer): boolean {
  return given !== null && given.length === expected.length && timingSafeEqual(given, expected)
}
