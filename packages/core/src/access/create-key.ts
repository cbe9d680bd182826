import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { KeyBounds } from './key-bounds.ts'
import { keyTables } from './key-tables.ts'
import type { KeyRole, Permission } from './permissions.ts'
import { encodeRate, type Rate } from './rate.ts'

export interface NewKey {
  readonly id: string
  /** The digest of the key's secret. The secret itself is not stored. */
  readonly digest: Buffer
  readonly name: string
  readonly role: KeyRole
  readonly permissions: readonly Permission[]
  /** The bounds of the key; absent: none. */
  readonly bounds?: KeyBounds
  /** Milliseconds from now; undefined: it does not expire. */
  readonly expiresInMs?: number | undefined
  /** The rate of its requests; undefined: the default of the API. */
  readonly rate?: Rate | undefined
}

/** The result of writing a key. `known`: the same call has already written it. */
export type KeyWrite = 'written' | 'known' | 'refused'

/**
 * Writes a new key: only the owner may do this, and no process role can. A repeated call writes nothing more. Returns
 * `refused` where another key has the id.
 */
export async function createKey(database: QueueDatabase, key: NewKey): Promise<KeyWrite> {
  const { keys } = keyTables(database)
  const { tenantId, queues, kinds } = key.bounds ?? noBounds
  const rows = await database.run(sql<WrittenRow>`
    INSERT INTO ${keys} AS k (id, digest, name, role, permissions, tenant_id, queues, kinds, rate, expires_at)
    VALUES (${key.id}, ${key.digest}, ${key.name}, ${key.role}, ${key.permissions}::text[],
            ${tenantId}::text, ${queues}::text[], ${kinds}::text[], ${encodeRate(key.rate)}::jsonb,
            now() + ${key.expiresInMs ?? null}::float8 * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.digest = excluded.digest
    RETURNING k.xmax = 0 AS is_new`)
  return outcomeOf(rows)
}

const noBounds: KeyBounds = { tenantId: null, queues: null, kinds: null }

export interface Replacement {
  readonly id: string
  readonly digest: Buffer
  /** The id of the key that it replaces. */
  readonly replaces: string
  /** How many milliseconds the replaced key stays valid; never longer than it would have anyway. */
  readonly overlapMs: number
}

/**
 * Writes a key with the name, role, permissions, bounds and rate of another, and lets the other expire: only the owner
 * may do this. Where the other has a lifetime, the new key has the same from now on. Returns `refused` where there is
 * no such valid key, or where another key has already replaced it, because its original lifetime is then unknown.
 */
export async function rotateKey(database: QueueDatabase, replacement: Replacement): Promise<KeyWrite> {
  const { keys, revocations } = keyTables(database)
  const { id, digest, replaces, overlapMs } = replacement
  const rows = await database.run(sql<WrittenRow>`
    WITH locked AS MATERIALIZED (
      SELECT k.* FROM ${keys} AS k
       WHERE k.id = ${replaces} AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
         AND NOT EXISTS (SELECT FROM ${revocations} AS r WHERE r.key_id = k.id)
         AND NOT EXISTS (SELECT FROM ${keys} AS n WHERE n.replaces = k.id AND n.id <> ${id})
       FOR UPDATE
    ), replaced AS MATERIALIZED (
      SELECT o.*, clock_timestamp() AS at FROM locked AS o
    ), ended AS (
      UPDATE ${keys} AS k
         SET expires_at = least(k.expires_at, o.at + ${overlapMs}::float8 * interval '1 millisecond')
        FROM replaced AS o WHERE k.id = o.id
    )
    INSERT INTO ${keys} AS k (id, digest, name, role, permissions, tenant_id, queues, kinds, rate, replaces, created_at,
                         expires_at)
    SELECT ${id}, ${digest}, o.name, o.role, o.permissions, o.tenant_id, o.queues, o.kinds, o.rate, o.id, o.at,
           o.at + (o.expires_at - o.created_at) FROM replaced AS o
    ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.digest = excluded.digest
    RETURNING k.xmax = 0 AS is_new`)
  return outcomeOf(rows)
}

interface WrittenRow {
  /** The statement has locked a row that existed already, which sets its xmax. */
  readonly is_new: boolean
}

function outcomeOf([row]: readonly WrittenRow[]): KeyWrite {
  if (row === undefined) return 'refused'
  return row.is_new ? 'written' : 'known'
}
