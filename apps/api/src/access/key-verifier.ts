import { timingSafeEqual } from 'node:crypto'
import type { Rate } from '@queue/core'
import { parseApiKey, type StoredKey } from '@queue/core/internal'
import type { Authenticate, Principal } from '../http/principal.ts'
import { createKeyCache, type KeyCache, type KeyCacheOptions } from './key-cache.ts'

export interface KeyVerifierOptions extends KeyCacheOptions {
  /** A cache that others use too. Default: one of its own. */
  readonly keys?: KeyCache | undefined
  /** The rate limit of keys without one of their own. Absent: they are not limited. */
  readonly rateDefault?: Rate | undefined
}

/** Has the length of a digest, and is the digest of no secret. */
const noDigest = Buffer.alloc(32)

/**
 * Verifies API keys. Throws `database_unavailable` if the database cannot be read, because a cached key may have been revoked.
 */
export function createKeyVerifier({ rateDefault, ...options }: KeyVerifierOptions): Authenticate {
  const keys = options.keys ?? createKeyCache(options)
  return async (credential) => {
    const presented = parseApiKey(credential)
    if (presented === undefined) return undefined
    const key = await keys.find(presented.id)
    const matches = timingSafeEqual(key?.digest ?? noDigest, presented.digest)
    if (key === undefined || !matches) return undefined
    keys.noteUse(key)
    return principalOfKey(key, rateDefault)
  }
}

/** The principal of a key, whether the key itself or a session of it was sent. */
export function principalOfKey(key: StoredKey, rateDefault: Rate | undefined): Principal {
  const rate = key.rate ?? rateDefault
  return {
    permissions: new Set(key.permissions),
    scope: key.scope,
    who: { type: 'key', id: key.id, name: key.name },
    ...(rate !== undefined && { rate }),
  }
}
