import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Notes in the registry that a claim of this worker took `ms` milliseconds, for `doctor`. */
export async function noteSlowClaim(database: QueueDatabase, id: string, ms: number): Promise<void> {
  await database.run(
    database.names.db
      .updateTable('workers')
      .set({ slow_claim_ms: ms, slow_claim_at: sql`now()` })
      .where('id', '=', id),
  )
}
