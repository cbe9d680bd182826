import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { keyTables } from './key-tables.ts'

/**
 * Revokes a key for good: nobody but the owner can take a revocation away. Revoking a revoked key changes nothing. Gives
 * false when there is no such key.
 */
export async function revokeKey(database: QueueDatabase, id: string): Promise<boolean> {
  const { keys, revocations } = keyTables(database)
  const rows = await database.run(sql`
    WITH added AS (
      INSERT INTO ${revocations} (key_id) SELECT k.id FROM ${keys} AS k WHERE k.id = ${id} ON CONFLICT DO NOTHING
    )
    SELECT k.id FROM ${keys} AS k WHERE k.id = ${id}`)
  return rows.length === 1
}
