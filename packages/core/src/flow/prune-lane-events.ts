import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { isSuperfluous } from '../database/lane-events.ts'
import { laneEventPagesMax } from '../domain/limits.ts'

/**
 * Removes events of starts to come that no job waits for any more: it has been moved, given another key, run before or
 * removed. They do no harm, but name its key until they are due. Reads up to `laneEventPagesMax` pages of the table from
 * `firstPage` on, and returns where the next call begins: 0 after the last page.
 *
 * A job and the event of its start are written together, so a statement sees both or neither, and a job that waits for
 * the same instant later has an event of its own.
 */
export async function pruneLaneEvents(
  { names, schema, run }: QueueDatabase,
  firstPage: number,
): Promise<{ readonly removed: number; readonly nextPage: number }> {
  const endPage = firstPage + laneEventPagesMax
  const at = (page: number) => sql`${`(${page},0)`}::tid`
  const [row] = await run(sql<{ removed: number; pages: number }>`
    WITH gone AS (
      DELETE FROM ${names.laneEvents} AS e WHERE e.ctid = ANY(ARRAY(
        SELECT e.ctid FROM ${names.laneEvents} AS e
         WHERE e.ctid >= ${at(firstPage)} AND e.ctid < ${at(endPage)} AND ${isSuperfluous(names, sql``)}))
      RETURNING 1
    )
    SELECT (SELECT count(*) FROM gone)::int AS removed,
           (pg_relation_size(to_regclass(format('%I.lane_events', ${schema}::text))) / current_setting('block_size')::int)::int AS pages`)
  const { removed = 0, pages = 0 } = row ?? {}
  return { removed, nextPage: endPage < pages ? endPage : 0 }
}
