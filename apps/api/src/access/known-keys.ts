import type { ConnectedDatabase } from '@queue/core'
import { countRevocations, findKey, noteKeyUse, type StoredKey } from '@queue/core/access'
import { keyCacheEntriesMax, keyCacheMs, revocationsCheckMs, revocationsStaleMs } from '../http/limits.ts'
import { createUnknownKeys } from './unknown-keys.ts'

/** The keys of the database, as far as this process has asked for them. */
export interface KnownKeys {
  /**
   * The key with this id, unless it was revoked or has expired. Throws `database_unavailable` when the database cannot be
   * asked, and `too_many_unknown_keys`.
   */
  find(id: string, address?: string): Promise<StoredKey | undefined>
  /** Notes that the key is used in this hour. */
  noteUse(key: StoredKey): void
}

export interface KnownKeysOptions {
  readonly database: ConnectedDatabase
  /** Milliseconds of a clock that never steps. */
  readonly nowMs: () => number
}

interface Known {
  readonly key: Promise<StoredKey | undefined>
  readonly askedAtMs: number
  useNoted: boolean
}

/**
 * What the database says of a key is kept for 10 s, and forgotten once a further revocation is seen, which is looked for
 * while keys are used. Unknown ids are kept as well.
 */
export function createKnownKeys({ database, nowMs }: KnownKeysOptions): KnownKeys {
  const known = new Map<string, Known>()
  const read = keyReader({ database, nowMs })
  const assertFresh = revocationsWatch({ database, nowMs, onRevoked: () => known.clear() })

  const lookUp = (id: string, address: string | undefined): Known => {
    const cached = known.get(id)
    if (cached !== undefined && nowMs() - cached.askedAtMs < keyCacheMs) return cached
    const entry = { key: read(id, address), askedAtMs: nowMs(), useNoted: false }
    known.delete(id)
    known.set(id, entry)
    if (known.size > keyCacheEntriesMax) known.delete(known.keys().next().value ?? id)
    entry.key.catch(() => known.get(id) === entry && known.delete(id))
    return entry
  }

  return {
    find: async (id, address) => {
      await assertFresh()
      const { key: reading, askedAtMs } = lookUp(id, address)
      const key = await reading
      if (key === undefined || key.revoked) return undefined
      return key.expiresInMs !== null && nowMs() - askedAtMs >= key.expiresInMs ? undefined : key
    },
    noteUse: (key) => {
      const entry = known.get(key.id)
      if (key.useNoted || entry === undefined || entry.useNoted) return
      entry.useNoted = true
      // Where it cannot be noted, on a standby for example, the key is accepted all the same.
      noteKeyUse(database, key.id).catch(() => undefined)
    },
  }
}

/** Reads keys. Ids that exist are read at once: a stranger at the same address must not keep their keys out. */
function keyReader({ database, nowMs }: KnownKeysOptions) {
  const unknownKeys = createUnknownKeys(nowMs)
  const existing = new Set<string>()
  return async (id: string, address: string | undefined): Promise<StoredKey | undefined> => {
    if (existing.has(id)) return findKey(database, id)
    const exists = unknownKeys.lookUp(address)
    const key = await findKey(database, id)
    if (key === undefined) return undefined
    exists()
    existing.add(id)
    if (existing.size > keyCacheEntriesMax) existing.delete(existing.keys().next().value ?? id)
    return key
  }
}

interface RevocationsWatchOptions extends KnownKeysOptions {
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
