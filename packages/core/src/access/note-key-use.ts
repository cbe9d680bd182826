import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { keyTables } from './key-tables.ts'

/** Records the hour in which a key was used. Writes at most once an hour, however many processes call it. */
export async function noteKeyUse(database: QueueDatabase, id: string): Promise<void> {
  await database.run(sql`
    UPDATE ${keyTables(database).keys} SET last_used_at = date_trunc('hour', now())
     WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < date_trunc('hour', now()))`)
}
