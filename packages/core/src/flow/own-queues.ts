// The queues as a caller with bounds sees them: only queues with live jobs within its scope, and only counts of these
// jobs.
import { isLiveWorker } from '../database/live-worker.ts'
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import {
  pageOfQueues,
  type QueuePage,
  type QueuePageQuery,
  type QueueStatsRow,
  readyCounts,
} from './queue-stats.ts'

/**
 * One page of the queues in which the scope of `database` has live jobs. It reads only these jobs, whatever other jobs
 * the queues have. Throws what `listQueues` throws.
 */
export function listOwnQueues(database: QueueDatabase, query: QueuePageQuery = {}): Promise<QueuePage> {
  return pageOfQueues(query, ({ after, limit }) =>
    database.run(sql<QueueStatsRow>`
      SELECT c.queue AS name, bool_or(c.registered) AS registered, ${epochMs(sql`min(c.paused_at)`)} AS paused_at,
             sum(c.queued)::int AS queued, sum(c.retrying)::int AS retrying, sum(c.running)::int AS running,
             sum(c.ready)::int AS ready, sum(c.newly_ready)::int AS newly_ready,
             extract(epoch FROM now() - min(c.oldest_due_at)) AS oldest_ready_seconds,
             max(c.workers)::int AS workers
        FROM ${ownCounts(database)} AS c WHERE c.queue > ${after}${andWithin(database, 'c')}
       GROUP BY c.queue ORDER BY c.queue LIMIT ${sql.lit(limit + 1)}`),
  )
}

/** Live jobs within the scope, counted by tenant, queue and kind. A tenant's view has no other jobs to count. */
function ownCounts(database: QueueDatabase): RawBuilder<unknown> {
  const { names, schema } = database
  if (names.behindViews) return sql.id(schema, 'tenant_queues')
  const { queued, retrying } = names.status
  const within = andWithin(database, 'j')
  return sql`(
        SELECT j.tenant_id, j.queue, j.kind, j.queued, j.retrying, j.running, j.ready, j.newly_ready, j.oldest_due_at,
               q.name IS NOT NULL AS registered, q.paused_at,
               (SELECT count(*) FROM ${names.workers} AS w
                 WHERE ${isLiveWorker} AND j.queue = ANY(w.queues)) AS workers
          FROM (
            SELECT j.tenant_id, j.queue, j.kind, count(*) FILTER (WHERE j.status = ${queued}) AS queued,
                   count(*) FILTER (WHERE j.status = ${retrying}) AS retrying, 0 AS running,
                   ${readyCounts}, min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest_due_at
              FROM ${names.jobs} AS j WHERE j.status IN (${queued}, ${retrying})${within}
             GROUP BY j.tenant_id, j.queue, j.kind
            UNION ALL
            SELECT j.tenant_id, j.queue, j.kind, 0, 0, count(*), 0, 0, NULL
              FROM ${names.jobs} AS j WHERE j.locked_by IS NOT NULL${within}
             GROUP BY j.tenant_id, j.queue, j.kind
          ) AS j LEFT JOIN ${names.queues} AS q ON q.name = j.queue
      )`
}
