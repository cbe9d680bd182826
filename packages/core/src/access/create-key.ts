import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { KeyBounds } from './key-bounds.ts'
import { keyTables } from './key-tables.ts'
import type { KeyRole, Permission } from './permissions.ts'
import { encodeRate, type Rate } from './rate.ts'

export interface NewKey {
  readonly id: string
  /** That of its secret, which is kept nowhere. */
  readonly digest: Buffer
  readonly name: string
  readonly role: KeyRole
  readonly permissions: readonly Permission[]
  /** What it is held to; absent: nothing. */
  readonly bounds?: KeyBounds
  /** Milliseconds from now; undefined: it does not expire. */
  readonly expiresInMs?: number | undefined
  /** How many requests may be sent with it; undefined: what the API lets every key send. */
  readonly rate?: Rate | undefined
}

/** What became of a key that was to be written. `known`: it was written before, by the same call. */
export type KeyWrite = 'written' | 'known' | 'refused'

/**
 * Writes a new key: an act of the owner, which no process's role may do. Sent again, it writes nothing more. Gives
 * `refused` when another key has the id.
 */
export async function createKey(database: QueueDatabase, key: NewKey): Promise<KeyWrite> {
  const { keys } = keyTables(database)
  const { tenantId, queues, kinds } = key.bounds ?? unbound
  const rows = await database.run(sql<WrittenRow>`
    INSERT INTO ${keys} AS k (id, digest, name, role, permissions, tenant_id, queues, kinds, rate, expires_at)
    VALUES (${key.id}, ${key.digest}, ${key.name}, ${key.role}, ${key.permissions}::text[],
            ${tenantId}::text, ${queues}::text[], ${kinds}::text[], ${encodeRate(key.rate)}::jsonb,
            now() + ${key.expiresInMs ?? null}::float8 * interval '1 millisecond')
    ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.digest = excluded.digest
    RETURNING k.xmax = 0 AS is_new`)
  return outcomeOf(rows)
}

const unbound: KeyBounds = { tenantId: null, queues: null, kinds: null }

export interface Replacement {
  readonly id: string
  readonly digest: Buffer
  /** The key that it replaces. */
  readonly replaces: string
  /** Milliseconds for which the replaced key still opens; never longer than it would have anyway. */
  readonly overlapMs: number
}

/**
 * Writes a key with the name, role, permissions, bounds and rate of another, and has that one expire: an act of the owner. Where
 * that one was made to expire, the new one lives as long from now on. Gives `refused` when there is no such key that still
 * opens, or another has replaced it: how long it was meant to live is then no longer known.
 */
export async function rotateKey(database: QueueDatabase, replacement: Replacement): Promise<KeyWrite> {
  const { keys, revocations } = keyTables(database)
  const { id, digest, replaces, overlapMs } = replacement
  const rows = await database.run(sql<WrittenRow>`
    WITH replaced AS (
      SELECT k.* FROM ${keys} AS k
       WHERE k.id = ${replaces} AND (k.expires_at IS NULL OR k.expires_at > now())
         AND NOT EXISTS (SELECT FROM ${revocations} AS r WHERE r.key_id = k.id)
         AND NOT EXISTS (SELECT FROM ${keys} AS n WHERE n.replaces = k.id AND n.id <> ${id})
       FOR UPDATE
    ), ended AS (
      UPDATE ${keys} AS k
         SET expires_at = least(k.expires_at, now() + ${overlapMs}::float8 * interval '1 millisecond')
        FROM replaced AS o WHERE k.id = o.id
    )
    INSERT INTO ${keys} AS k (id, digest, name, role, permissions, tenant_id, queues, kinds, rate, replaces, expires_at)
    SELECT ${id}, ${digest}, o.name, o.role, o.permissions, o.tenant_id, o.queues, o.kinds, o.rate, o.id,
           now() + (o.expires_at - o.created_at) FROM replaced AS o
    ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.digest = excluded.digest
    RETURNING k.xmax = 0 AS is_new`)
  return outcomeOf(rows)
}

interface WrittenRow {
  /** A row that was found has been locked by the statement. */
  readonly is_new: boolean
}

function outcomeOf([row]: readonly WrittenRow[]): KeyWrite {
  if (row === undefined) return 'refused'
  return row.is_new ? 'written' : 'known'
}
