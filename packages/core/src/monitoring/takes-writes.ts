import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

export const isWritable: RawBuilder<boolean> = sql`NOT pg_catalog.pg_is_in_recovery()
           AND pg_catalog.current_setting('transaction_read_only') = 'off'`

/** Whether the server takes writes on the connection that is asked: it is no standby, and its transactions may write. */
export async function takesWrites(database: QueueDatabase): Promise<boolean> {
  const [row] = await database.run(sql<{ writable: boolean }>`
    SELECT ${isWritable} AS writable`)
  if (row === undefined) throw new Error('the database gave no answer about writes')
  return row.writable
}
