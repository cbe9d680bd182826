import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** How long the row of a worker that is gone stays for operators to look at. */
const keepHours = 1

/** Removes the rows of workers that have been gone for a while and that no job names; gives their number. */
export async function pruneWorkers(database: QueueDatabase): Promise<number> {
  const { names } = database
  const rows = await database.run(sql`
    DELETE FROM ${names.workers} AS w
     WHERE w.state <> 'active' AND w.lease_expires_at < now() - ${sql.lit(keepHours)} * interval '1 hour'
       AND NOT EXISTS (SELECT FROM ${names.jobs} AS j WHERE j.locked_by = w.id AND j.locked_by IS NOT NULL)
    RETURNING w.id`)
  return rows.length
}
