import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ConnectedDatabase } from '@queue/core'
import { createSession, deleteSession, findSession, type Rate, type StoredSession } from '@queue/core/access'
import { principalOfKey } from '../access/key-verifier.ts'
import type { KnownKeys } from '../access/known-keys.ts'
import { createUnknownKeys } from '../access/unknown-keys.ts'
import type { Authenticate } from '../http/authenticate.ts'
import { sessionCacheMs, sessionMs, sessionsKeptMax } from '../http/limits.ts'
import { type Principal, tokenHolder } from '../http/principal.ts'

/** An open session: whose it is, and until when. */
export interface OpenSession {
  readonly principal: Principal
  readonly expiresAt: Date
}

/** Who is signed in. Kept in the database, because the processes of the API share them. */
export interface Sessions {
  /** Opens one for whoever has this credential; undefined when it is nobody's. */
  open(
    credential: string,
    address?: string,
  ): Promise<{ readonly id: string; readonly expiresAt: Date } | undefined>
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
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number
}

interface Known {
  readonly session: Promise<StoredSession | undefined>
  readonly askedAtMs: number
}

/** An id is 256 random bits, base64url; the database has its digest, and for the token a proof that only the id can make. */
export function createSessions(options: SessionsOptions): Sessions {
  const { database, authenticate, keys, token, nowMs, rateDefault } = options
  const known = new Map<string, Known>()
  const read = sessionReader(options)
  const lookUp = (id: string, address: string | undefined): Known => {
    const cached = known.get(id)
    if (cached !== undefined && nowMs() - cached.askedAtMs < sessionCacheMs) return cached
    const entry = { session: read(id, address), askedAtMs: nowMs() }
    known.delete(id)
    known.set(id, entry)
    if (known.size > sessionsKeptMax) known.delete(known.keys().next().value ?? id)
    entry.session.catch(() => known.get(id) === entry && known.delete(id))
    return entry
  }
  const principalOf = async (
    { keyId, tokenProof }: StoredSession,
    id: string,
  ): Promise<Principal | undefined> => {
    if (keyId === null) return isProof(tokenProof, proofOf(token, id)) ? tokenHolder : undefined
    const key = await keys.find(keyId)
    return key && principalOfKey(key, rateDefault)
  }
  return {
    open: async (credential, address) => {
      const isToken = token !== undefined && isProof(digest(credential), digest(token))
      const who = isToken ? undefined : (await authenticate(credential, address))?.who
      if (!isToken && who?.type !== 'key') return undefined
      const keyId = who?.id
      const id = randomBytes(32).toString('base64url')
      const opened = keyId === undefined ? { tokenProof: proofOf(token, id) } : { keyId }
      await createSession(database, { id: digest(id), credential: opened, expiresInMs: sessionMs })
      const session = await lookUp(id, address).session
      return session && { id, expiresAt: session.expiresAt }
    },
    find: async (id, address) => {
      if (!/^[\w-]{43}$/.test(id)) return undefined
      const { session: reading, askedAtMs } = lookUp(id, address)
      const session = await reading
      if (session === undefined || nowMs() - askedAtMs >= session.expiresInMs) return undefined
      const principal = await principalOf(session, id)
      return principal && { principal, expiresAt: session.expiresAt }
    },
    close: async (id) => {
      known.delete(id)
      await deleteSession(database, digest(id))
    },
  }
}

/** Reads sessions. Whoever tries ids that are none is slowed down by their address, as with keys. */
function sessionReader({ database, nowMs }: Pick<SessionsOptions, 'database' | 'nowMs'>) {
  const unknown = createUnknownKeys(nowMs)
  return async (id: string, address: string | undefined): Promise<StoredSession | undefined> => {
    const exists = unknown.lookUp(address)
    const session = await findSession(database, digest(id))
    if (session !== undefined) exists()
    return session
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
