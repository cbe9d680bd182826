import { isLiveWorker } from '../database/live-worker.ts'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { type SchemaNames, schemaNames } from '../database/schema-names.ts'

/** How long jobs must have been due, because a queue may be without a worker between two releases. */
export const unservedAfterSeconds = 60

/** Jobs of one kind and version in one queue that have been due for longer, and that no live worker can claim. */
export interface UnservedJobs {
  readonly queue: string
  readonly kind: string
  readonly version: number
  readonly jobs: number
  /** For how many seconds the oldest job has been due. */
  readonly oldest_seconds: number
  /** Whether live workers serve the queue, but none has a handler for this version of the kind. */
  readonly queue_is_served: boolean
}

/** Jobs that no live worker can claim, the oldest first. Jobs of paused queues are left out. Reads the jobs that are due. */
export function unservedJobs(database: QueueDatabase): Promise<UnservedJobs[]> {
  return database.run(statement(database.names))
}

/** The same as a statement, for callers that have only a connection. */
export function unservedJobsStatement(schema: string): RawBuilder<UnservedJobs> {
  return statement(schemaNames(schema))
}

function statement(names: SchemaNames): RawBuilder<UnservedJobs> {
  const { queued, retrying } = names.status
  return sql<UnservedJobs>`
    WITH due AS (
      SELECT j.queue, j.kind, coalesce(j.kind_version, 1)::int AS version,
             j.kind || coalesce('/' || j.kind_version, '') AS name, count(*)::int AS jobs,
             extract(epoch FROM now() - min(j.run_at))::int AS oldest_seconds
        FROM ${names.jobs} AS j
       WHERE j.status IN (${queued}, ${retrying})
         AND j.run_at < now() - ${sql.lit(unservedAfterSeconds)}::float8 * interval '1 second'
       GROUP BY j.queue, j.kind, j.kind_version
    ), serving AS (
      SELECT w.queues, w.kinds FROM ${names.workers} AS w WHERE ${isLiveWorker}
    )
    SELECT due.queue, due.kind, due.version, due.jobs, due.oldest_seconds,
           EXISTS (SELECT FROM serving AS s WHERE due.queue = ANY(s.queues)) AS queue_is_served
      FROM due
     WHERE NOT EXISTS (SELECT FROM serving AS s WHERE due.queue = ANY(s.queues) AND due.name = ANY(s.kinds))
       AND NOT EXISTS (SELECT FROM ${names.queues} AS q WHERE q.name = due.queue AND q.paused_at IS NOT NULL)
     ORDER BY due.oldest_seconds DESC`
}
