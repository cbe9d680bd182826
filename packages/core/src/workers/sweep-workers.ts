import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** Marks every active worker whose lease has expired, by the database's clock, as lost; gives their ids. */
export async function sweepWorkers(database: QueueDatabase): Promise<string[]> {
  const { names } = database
  const rows = await database.run(sql<{ id: string }>`
    WITH expired AS MATERIALIZED (
      SELECT w.id FROM ${names.workers} AS w
       WHERE w.state = 'active' AND w.lease_expires_at < now()
       ORDER BY w.id FOR UPDATE SKIP LOCKED
    )
    UPDATE ${names.workers} AS w SET state = 'lost' FROM expired
     WHERE w.id = expired.id AND w.state = 'active' AND w.lease_expires_at < now()
    RETURNING w.id`)
  return rows.map((row) => row.id)
}

/** How long the row of a worker that is gone stays for operators to look at. */
const keepDays = 1

/** Removes the rows of workers that have been gone for a day and that no job names. */
export async function pruneWorkers(database: QueueDatabase): Promise<number> {
  const { names } = database
  const rows = await database.run(sql`
    DELETE FROM ${names.workers} AS w
     WHERE w.state <> 'active' AND w.lease_expires_at < now() - ${sql.lit(keepDays)} * interval '1 day'
       AND NOT EXISTS (SELECT FROM ${names.jobs} AS j WHERE j.locked_by = w.id AND j.locked_by IS NOT NULL)
    RETURNING w.id`)
  return rows.length
}
