import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { keyTables } from './key-tables.ts'

/**
 * The number of keys that were revoked or rotated, and so end before the expiry with which somebody may have read them.
 * Both are only added, so each new one changes the number when it commits.
 */
export async function countEarlyEnds(database: QueueDatabase): Promise<number> {
  const { keys, revocations } = keyTables(database)
  const [row] = await database.run(sql<{ count: number }>`
    SELECT ((SELECT count(*) FROM ${revocations}) + (SELECT count(replaces) FROM ${keys})) AS count`)
  return row?.count ?? 0
}
