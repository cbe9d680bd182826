import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Ends a session. If there is no such session, nothing changes. */
export async function deleteSession(database: QueueDatabase, id: Buffer): Promise<void> {
  await database.run(sql`DELETE FROM ${sql.id(database.schema, 'api_sessions')} WHERE id = ${id}`)
}
