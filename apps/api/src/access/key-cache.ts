import type { ConnectedDatabase } from '@queue/core'
import { countEarlyEnds, findKey, noteKeyUse, type StoredKey } from '@queue/core/access'
import { keyCacheEntriesMax, keyCacheMs, revocationsCheckMs, revocationsStaleMs } from '../http/limits.ts'
import { createAddressLimiter } from './address-limiter.ts'

/** The API keys of the database, cached. */
export interface KeyCache {
  /**
   * The key with this id; undefined if there is none, or it was revoked or has expired. Throws `database_unavailable` and
   * `too_many_unknown_keys`.
   */
  find(id: string, address?: string): Promise<StoredKey | undefined>
  /** Records that the key is used in this hour. */
  noteUse(key: StoredKey): void
}

export interface KeyCacheOptions {
  readonly database: ConnectedDatabase
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
}

interface CachedKey {
  readonly key: Promise<StoredKey | undefined>
  readonly readAtMs: number
  useNoted: boolean
}

/**
 * Caches keys for 10 s, including unknown ones, and drops them all once a key is revoked or rotated. This is checked while keys
 * are used.
 */
export function createKeyCache({ database, nowMs }: KeyCacheOptions): KeyCache {
  const cache = new Map<string, CachedKey>()
  const read = keyReader({ database, nowMs })
  const assertFresh = earlyEndsWatch({ database, nowMs, onEarlyEnd: () => cache.clear() })

  const lookUp = (id: string, address: string | undefined): CachedKey => {
    const cached = cache.get(id)
    if (cached !== undefined && nowMs() - cached.readAtMs < keyCacheMs) return cached
    const entry = { key: read(id, address), readAtMs: nowMs(), useNoted: false }
    cache.delete(id)
    cache.set(id, entry)
    if (cache.size > keyCacheEntriesMax) cache.delete(cache.keys().next().value ?? id)
    entry.key.catch(() => cache.get(id) === entry && cache.delete(id))
    return entry
  }

  return {
    find: async (id, address) => {
      await assertFresh()
      const { key: reading, readAtMs } = lookUp(id, address)
      const key = await reading
      if (key === undefined || key.revoked) return undefined
      return key.expiresInMs !== null && nowMs() - readAtMs >= key.expiresInMs ? undefined : key
    },
    noteUse: (key) => {
      const entry = cache.get(key.id)
      if (key.useNoted || entry === undefined || entry.useNoted) return
      entry.useNoted = true
      // The key is accepted even if this fails, as on a standby.
      noteKeyUse(database, key.id).catch(() => undefined)
    },
  }
}

/** Reads keys. Ids that are known to exist are not limited, so that another client at the same address cannot block them. */
function keyReader({ database, nowMs }: KeyCacheOptions) {
  const unknownKeys = createAddressLimiter('too_many_unknown_keys', nowMs)
  const existing = new Set<string>()
  return async (id: string, address: string | undefined): Promise<StoredKey | undefined> => {
    if (existing.has(id)) return findKey(database, id)
    const release = unknownKeys.reserve(address)
    const key = await findKey(database, id)
    if (key === undefined) return undefined
    release()
    existing.add(id)
    if (existing.size > keyCacheEntriesMax) existing.delete(existing.keys().next().value ?? id)
    return key
  }
}

interface EarlyEndsWatchOptions extends KeyCacheOptions {
  readonly onEarlyEnd: () => void
}

/**
 * Resolves once the known count of revocations and rotations is less than `revocationsStaleMs` old. From `revocationsCheckMs` on, it is read
 * again in the background. Without requests, nothing is read.
 */
function earlyEndsWatch({ database, nowMs, onEarlyEnd }: EarlyEndsWatchOptions): () => Promise<void> {
  let count: number | undefined
  let checkedAtMs = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const startedAtMs = nowMs()
    try {
      const latest = await countEarlyEnds(database)
      if (latest !== count) onEarlyEnd()
      count = latest
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
    // The next request that waits for the count gets the error.
    checking.catch(() => undefined)
  }
}
