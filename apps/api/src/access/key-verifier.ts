import { timingSafeEqual } from 'node:crypto'
import { parseApiKey, type Rate, type StoredKey } from '@queue/core/access'
import type { Authenticate } from '../http/authenticate.ts'
import type { Principal } from '../http/principal.ts'
import { createKnownKeys, type KnownKeys, type KnownKeysOptions } from './known-keys.ts'

export interface KeyVerifierOptions extends KnownKeysOptions {
  /** The keys, where others use them too. */
  readonly keys?: KnownKeys | undefined
  /** The rate of keys that have none of their own; absent: those may be used as often as they like. */
  readonly rateDefault?: Rate | undefined
}

/** Of the same length as any digest, and that of no secret. */
const noDigest = Buffer.alloc(32)

/**
 * Says whose key a credential is. Throws `database_unavailable` when the database cannot be asked: nobody is let in on what
 * may no longer hold.
 */
export function createKeyVerifier({ rateDefault, ...options }: KeyVerifierOptions): Authenticate {
  const keys = options.keys ?? createKnownKeys(options)
  return async (credential, address) => {
    const presented = parseApiKey(credential)
    if (presented === undefined) return undefined
    const key = await keys.find(presented.id, address)
    const matches = timingSafeEqual(key?.digest ?? noDigest, presented.digest)
    if (key === undefined || !matches) return undefined
    keys.noteUse(key)
    return principalOfKey(key, rateDefault)
  }
}

/** Who acts with a key, be it sent itself or as the session that it has opened. */
export function principalOfKey(key: StoredKey, rateDefault: Rate | undefined): Principal {
  const rate = key.rate ?? rateDefault
  return {
    permissions: new Set(key.permissions),
    scope: key.scope,
    who: { type: 'key', id: key.id, name: key.name },
    ...(rate !== undefined && { rate }),
  }
}
