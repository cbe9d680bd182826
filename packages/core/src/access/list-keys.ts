import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { KeyBounds, KeyBoundsRow } from './key-bounds.ts'
import { keyTables } from './key-tables.ts'
import type { KeyRole, Permission } from './permissions.ts'
import { decodeRate, type Rate } from './rate.ts'

/** A key without anything of its secret. */
export interface KeyInfo extends KeyBounds {
  readonly id: string
  readonly name: string
  readonly role: KeyRole
  /** Its permissions in addition to those of its role. */
  readonly permissions: readonly Permission[]
  /** The rate of its requests; null: the default of the API. */
  readonly rate: Rate | null
  /** The key that it replaced. */
  readonly replaces: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  /** Accurate to an hour. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

interface Row extends KeyBoundsRow, Pick<KeyInfo, 'id' | 'name' | 'role' | 'permissions' | 'replaces'> {
  readonly rate: string | null
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly revoked_at: number | null
}

/** All keys, including expired and revoked ones, newest first. */
export async function listKeys(database: QueueDatabase): Promise<KeyInfo[]> {
  const { keys, revocations } = keyTables(database)
  const rows = await database.run(sql<Row>`
    SELECT k.id, k.name, k.role, k.permissions, k.tenant_id, k.queues, k.kinds, k.rate::text AS rate, k.replaces,
           ${epochMs(sql`k.created_at`)} AS created_at,
           ${epochMs(sql`k.expires_at`)} AS expires_at, ${epochMs(sql`k.last_used_at`)} AS last_used_at,
           ${epochMs(sql`r.revoked_at`)} AS revoked_at
      FROM ${keys} AS k LEFT JOIN ${revocations} AS r ON r.key_id = k.id ORDER BY k.created_at DESC, k.id`)
  return rows.map(({ tenant_id, rate, created_at, expires_at, last_used_at, revoked_at, ...key }) => ({
    ...key,
    tenantId: tenant_id,
    rate: decodeRate(rate),
    createdAt: new Date(created_at),
    expiresAt: toDate(expires_at),
    lastUsedAt: toDate(last_used_at),
    revokedAt: toDate(revoked_at),
  }))
}

function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
