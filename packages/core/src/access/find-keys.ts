import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { keyTables } from './key-tables.ts'
import type { Scope } from '../database/scope.ts'
import { isWithinBounds, type KeyBoundsRow, scopeOf } from './key-bounds.ts'
import { type KeyRole, type Permission, rolePermissions } from './permissions.ts'
import { decodeRate, type Rate } from './rate.ts'

/** The properties that decide whether a presented key is accepted, and what it may do. */
export interface StoredKey {
  readonly id: string
  readonly name: string
  readonly digest: Buffer
  /** The key's permissions; for a key with bounds, only those that stay within them. */
  readonly permissions: readonly Permission[]
  /** The rate of its requests; null: the key sets none. */
  readonly rate: Rate | null
  /** Undefined: the key has no bounds. */
  readonly scope: Scope | undefined
  readonly revoked: boolean
  /** Milliseconds until it expires, by the database's clock; null: never. */
  readonly expiresInMs: number | null
  /** Whether its use in this hour is already recorded. */
  readonly useNoted: boolean
}

interface Row extends KeyBoundsRow {
  readonly id: string
  readonly name: string
  readonly digest: string
  readonly role: KeyRole
  readonly permissions: readonly Permission[]
  readonly rate: string | null
  readonly revoked: boolean
  readonly expires_in_ms: number | null
  readonly use_noted: boolean
}

/** The keys among these ids by their id, also where they are revoked or expired. */
export async function findKeys(
  database: QueueDatabase,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredKey>> {
  const { keys, revocations } = keyTables(database)
  const rows = await database.run(sql<Row>`
    SELECT k.id, k.name, encode(k.digest, 'hex') AS digest, k.role, k.permissions, k.tenant_id, k.queues, k.kinds, k.rate::text AS rate,
           r.key_id IS NOT NULL AS revoked,
           ${epochMs(sql`k.expires_at`)} - ${epochMs(sql`now()`)} AS expires_in_ms,
           coalesce(k.last_used_at >= date_trunc('hour', now()), false) AS use_noted
      FROM ${keys} AS k LEFT JOIN ${revocations} AS r ON r.key_id = k.id WHERE k.id = ANY(${ids}::text[])`)
  return new Map(rows.map((row) => [row.id, keyOf(row)]))
}

function keyOf(row: Row): StoredKey {
  const scope = scopeOf(row)
  return {
    id: row.id,
    name: row.name,
    digest: Buffer.from(row.digest, 'hex'),
    permissions: permissionsOf(row, scope),
    scope,
    rate: decodeRate(row.rate),
    revoked: row.revoked,
    expiresInMs: row.expires_in_ms,
    useNoted: row.use_noted,
  }
}

/** The permissions of a role and the additional ones; for a key with bounds, only those that stay within them. */
export function permissionsOf(
  { role, permissions }: Pick<Row, 'role' | 'permissions'>,
  scope: Scope | undefined,
): readonly Permission[] {
  const all = [...rolePermissions[role], ...permissions]
  return scope === undefined ? all : all.filter(isWithinBounds)
}
