import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** How long the row of a worker that is gone stays for operators. */
const keepHours = 1

/** Removes the rows of workers that have been gone for this long and that no job names. Returns their number. */
export async function pruneWorkers(database: QueueDatabase): Promise<number> {
  const rows = await database.run(
    database.names.db
      .deleteFrom('workers as w')
      .where('w.state', '<>', sql.lit('active'))
      .where('w.lease_expires_at', '<', sql<Date>`now() - ${sql.lit(keepHours)}::float8 * interval '1 hour'`)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('jobs as j')
              .select(sql`1`.as('one'))
              .whereRef('j.locked_by', '=', 'w.id')
              .where('j.locked_by', 'is not', null),
          ),
        ),
      )
      .returning('w.id'),
  )
  return rows.length
}
