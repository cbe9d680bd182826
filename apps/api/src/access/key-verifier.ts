import { timingSafeEqual } from 'node:crypto'
import type { ConnectedDatabase } from '@queue/core'
import {
  countRevocations,
  findKey,
  noteKeyUse,
  parseApiKey,
  type Rate,
  type StoredKey,
} from '@queue/core/access'
import type { Authenticate } from '../http/authenticate.ts'
import { keyCacheEntriesMax, keyCacheMs, revocationsCheckMs, revocationsStaleMs } from '../http/limits.ts'
import { createUnknownKeys } from './unknown-keys.ts'

export interface KeyVerifierOptions {
  readonly database: ConnectedDatabase
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number
  /** The rate of keys that have none of their own; absent: those may be used as often as they like. */
  readonly rateDefault?: Rate | undefined
}

/** Of the same length as any digest, and that of no secret. */
const noDigest = Buffer.alloc(32)

interface Known {
  readonly key: Promise<StoredKey | undefined>
  readonly askedAtMs: number
  useNoted: boolean
}

/**
 * Says whose key a credential is. What the database says of a key is kept for 10 s, and forgotten once a further
 * revocation is seen, which is looked for while keys are used. Unknown ids are kept as well. Throws `database_unavailable`
 * when the database cannot be asked: nobody is let in on what may no longer hold.
 */
export function createKeyVerifier({ database, nowMs, rateDefault }: KeyVerifierOptions): Authenticate {
  const known = new Map<string, Known>()
  const unknownKeys = createUnknownKeys(nowMs)
  /** Ids that exist: a stranger at the same address must not keep their keys out. */
  const existing = new Set<string>()
  const assertFresh = revocationsWatch({ database, nowMs, onRevoked: () => known.clear() })

  const find = async (id: string, address: string | undefined): Promise<StoredKey | undefined> => {
    if (existing.has(id)) return findKey(database, id)
    const exists = unknownKeys.lookUp(address)
    const key = await findKey(database, id)
    if (key !== undefined) {
      exists()
      existing.add(id)
      if (existing.size > keyCacheEntriesMax) existing.delete(existing.keys().next().value ?? id)
    }
    return key
  }

  const lookUp = (id: string, address: string | undefined): Known => {
    const cached = known.get(id)
    if (cached !== undefined && nowMs() - cached.askedAtMs < keyCacheMs) return cached
    const entry = { key: find(id, address), askedAtMs: nowMs(), useNoted: false }
    known.delete(id)
    known.set(id, entry)
    if (known.size > keyCacheEntriesMax) known.delete(known.keys().next().value ?? id)
    entry.key.catch(() => known.get(id) === entry && known.delete(id))
    return entry
  }

  return async (credential, address) => {
    const presented = parseApiKey(credential)
    if (presented === undefined) return undefined
    await assertFresh()
    const entry = lookUp(presented.id, address)
    const key = await entry.key
    const matches = timingSafeEqual(key?.digest ?? noDigest, presented.digest)
    if (key === undefined || !matches || key.revoked) return undefined
    if (key.expiresInMs !== null && nowMs() - entry.askedAtMs >= key.expiresInMs) return undefined
    // Where it cannot be noted, on a standby for example, the key opens all the same.
    if (!key.useNoted && !entry.useNoted) {
      entry.useNoted = true
      noteKeyUse(database, key.id).catch(() => undefined)
    }
    const rate = key.rate ?? rateDefault
    return {
      permissions: new Set(key.permissions),
      keyId: key.id,
      keyName: key.name,
      ...(rate !== undefined && { rate }),
    }
  }
}

interface RevocationsWatchOptions extends KeyVerifierOptions {
  readonly onRevoked: () => void
}

/**
 * Resolves once what was known of revocations is less than `revocationsStaleMs` old; from `revocationsCheckMs` on it is
 * read again beside the request. Without requests it asks nothing.
 */
function revocationsWatch({ database, nowMs, onRevoked }: RevocationsWatchOptions): () => Promise<void> {
  let count: number | undefined
  let checkedAtMs = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const startedAtMs = nowMs()
    try {
      const counted = await countRevocations(database)
      if (counted !== count) onRevoked()
      count = counted
      checkedAtMs = startedAtMs
    } finally {
      checking = undefined
    }
  }

  return async () => {
    const ageMs = nowMs() - checkedAtMs
    if (ageMs < revocationsCheckMs) return
    checking ??= check()
    if (ageMs >= revocationsStaleMs) return checking
    // The next request that needs the answer hears of the failure.
    checking.catch(() => undefined)
  }
}
