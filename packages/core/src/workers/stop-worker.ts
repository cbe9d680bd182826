import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Takes a worker out of service. Whatever still names it is then recovered at once, not after its lease. */
export async function stopWorker(database: QueueDatabase, id: string): Promise<void> {
  await database.run(
    database.names.db
      .updateTable('workers')
      .set({ state: sql.lit('stopped') })
      .where('id', '=', id)
      .where('state', '=', sql.lit('active')),
  )
}
