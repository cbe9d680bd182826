import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { keyTables } from './key-tables.ts'

/** The number of revoked keys. Revocations are only added, so each new one changes the number when it commits. */
export async function countRevocations(database: QueueDatabase): Promise<number> {
  const [row] = await database.run(sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${keyTables(database).revocations}`)
  return row?.count ?? 0
}
