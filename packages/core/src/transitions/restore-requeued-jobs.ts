// queued → failed_permanent | cancelled, as they were before a requeue, with their dead letters. The undo of a requeue,
// of one job or of many.
import { plainArray } from '@queue/postgres'
import { sql } from 'kysely'
import { type ChangedJob, lockedTargets, type RequeuedJob, targetIds } from '../database/chosen-jobs.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, updatedAt } from '../database/instant.ts'
import { writeLeftLaneEvents } from '../database/lane-events.ts'
import { requeuedColumns, restoreDeadLetters } from '../database/requeued-jobs.ts'

/**
 * Restores requeued jobs that nothing has changed since: each has ended as it had, and its dead letter is there again.
 * Other jobs stay as they are, among them those of which a worker has removed what their requeue had kept. A job that
 * the requeue had to insert again has failed, since the requeue.
 */
export function restoreRequeuedJobs(
  database: QueueDatabase,
  requeued: readonly RequeuedJob[],
): Promise<ChangedJob[]> {
  const { names } = database
  const ids = requeued.map(({ id }) => id)
  const changedAt = plainArray(requeued.map((job) => job.changedAt.getTime()))
  const condition = sql`j.status = ${names.status.queued}
    AND (j.id, date_trunc('milliseconds', j.updated_at)) IN (
      SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8) FROM unnest(${ids}::uuid[], ${changedAt}::float8[]) AS g (id, changed_at_ms))
    AND EXISTS (SELECT FROM ${names.requeuedJobs} AS k WHERE k.job_id = j.id AND k.requeued_at = j.updated_at)`
  const restored = sql.join(requeuedColumns.map((name) => sql`${sql.id(name)} = b.${sql.id(name)}`))
  return database.run(sql<ChangedJob>`
    WITH ${lockedTargets(database, { ids, condition })}, ${clockAfter('target')}, kept AS MATERIALIZED (
      SELECT k.job_id, k.job, k.dead_letter FROM ${names.requeuedJobs} AS k WHERE k.job_id = ${targetIds}
    ), changed AS (
      UPDATE ${names.jobs} AS j
         SET ${restored}, updated_at = ${updatedAt(sql`clock.at`)}
        FROM clock CROSS JOIN kept AS k CROSS JOIN LATERAL jsonb_populate_record(NULL::${names.jobs}, k.job) AS b
       WHERE j.id = k.job_id AND j.id = ${targetIds}
      RETURNING j.*
    ), ${writeLeftLaneEvents(names, 'changed')}, ${restoreDeadLetters(names)}, used AS (
      DELETE FROM ${names.requeuedJobs} AS k WHERE k.job_id = ANY(ARRAY(SELECT changed.id FROM changed))
    )
    SELECT c.id, c.queue, c.status FROM changed AS c ORDER BY c.id`)
}
