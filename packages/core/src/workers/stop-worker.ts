import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Ends a worker's lease. Jobs that still name it are then recovered at once, without waiting for the lease to expire. */
export async function stopWorker(database: QueueDatabase, id: string): Promise<void> {
  await database.run(
    database.names.db
      .updateTable('workers')
      .set({ state: sql.lit('stopped') })
      .where('id', '=', id)
      .where('state', '=', sql.lit('active')),
  )
}
