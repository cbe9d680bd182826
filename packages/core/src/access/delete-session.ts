import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Ends a session. Ending one that is none changes nothing. */
export async function deleteSession(database: QueueDatabase, id: Buffer): Promise<void> {
  await database.run(sql`DELETE FROM ${sql.id(database.schema, 'api_sessions')} WHERE id = ${id}`)
}
