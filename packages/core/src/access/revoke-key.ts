import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { keyTables } from './key-tables.ts'

/**
 * Revokes a key for ever: only the owner can undo a revocation. Returns `known` where the key was already revoked, and
 * undefined where there is no such key.
 */
export async function revokeKey(
  database: QueueDatabase,
  id: string,
): Promise<'revoked' | 'known' | undefined> {
  const { keys, revocations } = keyTables(database)
  const [row] = await database.run(sql<{ is_new: boolean }>`
    WITH added AS (
      INSERT INTO ${revocations} (key_id) SELECT k.id FROM ${keys} AS k WHERE k.id = ${id} ON CONFLICT DO NOTHING
      RETURNING key_id
    )
    SELECT EXISTS (SELECT FROM added) AS is_new FROM ${keys} AS k WHERE k.id = ${id}`)
  if (row === undefined) return undefined
  return row.is_new ? 'revoked' : 'known'
}
