import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

export const isWritable: RawBuilder<boolean> = sql`NOT pg_catalog.pg_is_in_recovery()
           AND pg_catalog.current_setting('transaction_read_only') = 'off'`

/** Whether the server accepts writes on this connection: it is not a standby, and its transactions may write. */
export async function takesWrites(database: QueueDatabase): Promise<boolean> {
  const [row] = await database.run(sql<{ writable: boolean }>`
    SELECT ${isWritable} AS writable`)
  if (row === undefined) throw new Error('the database returned no row about writes')
  return row.writable
}
