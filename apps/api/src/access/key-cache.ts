import {
  type ConnectedDatabase,
  countEarlyEnds,
  findKeys,
  noteKeyUse,
  type StoredKey,
} from '@queue/core/internal'
import { keyCacheEntriesMax, keyCacheMs, revocationsCheckMs, revocationsStaleMs } from '../http/limits.ts'
import { createLookUpCache } from './look-up-cache.ts'
import { createLookUps } from './look-ups.ts'

/** The API keys of the database, cached. */
export interface KeyCache {
  /**
   * The key with this id; undefined if there is none, or it was revoked or has expired. Throws `database_unavailable` and
   * `overloaded`.
   */
  find(id: string): Promise<StoredKey | undefined>
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
  const cache = createLookUpCache<CachedKey>(keyCacheEntriesMax)
  const lookUps = createLookUps((ids) => findKeys(database, ids))
  const assertFresh = earlyEndsWatch({ database, nowMs, onEarlyEnd: () => cache.clear() })

  const lookUp = (id: string): CachedKey => {
    const cached = cache.get(id)
    if (cached !== undefined && nowMs() - cached.readAtMs < keyCacheMs) return cached
    const entry = { key: lookUps.find(id), readAtMs: nowMs(), useNoted: false }
    cache.keep(id, entry, entry.key)
    return entry
  }

  return {
    find: async (id) => {
      await assertFresh()
      const { key: reading, readAtMs } = lookUp(id)
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
