// succeeded | cancelled | failed_permanent → (gone), with history, logs and dead letter. Called by any worker.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { smallestJobIdAt } from '../domain/job-id.ts'
import { pruneBatchMax } from '../domain/limits.ts'
import { removedMetadata } from '../database/metadata-rows.ts'

/** How long ended jobs are kept, in milliseconds; null keeps them for ever. */
export interface Retention {
  readonly succeededMs: number | null
  readonly cancelledMs: number | null
  readonly failedMs: number | null
}

export interface PruneResult {
  readonly pruned: number
  /** Where the next call goes on; null when the walk has come to its end and begins anew. */
  readonly cursor: string | null
}

/**
 * Deletes what the retention no longer keeps among the next `pruneBatchMax` jobs after `cursor`, oldest first. The
 * walk goes by the primary key and ends at the ids of the shortest retention's cutoff, because a job that ended
 * before the cutoff was created before it: no index over ended jobs is needed, and a call reads a bounded number of
 * rows whatever the table holds. Rows that somebody else has locked are left for the next walk, and so are jobs whose slot
 * of a unique key somebody else has locked. A job stays for as long as it holds a window.
 */
export async function pruneJobs(
  database: QueueDatabase,
  retention: Retention,
  cursor: string | null,
): Promise<PruneResult> {
  const { names } = database
  const keptMs = [retention.succeededMs, retention.cancelledMs, retention.failedMs].filter(
    (ms) => ms !== null,
  )
  if (keptMs.length === 0) return { pruned: 0, cursor: null }
  const [row] = await database.run(sql<{ pruned: number; seen: number; cursor: string | null }>`
    WITH seen AS MATERIALIZED (
      SELECT j.id FROM ${names.jobs} AS j
       WHERE j.id > ${cursor ?? smallestJobIdAt(0)}::uuid AND j.id < ${idBefore(Math.min(...keptMs))}
       ORDER BY j.id LIMIT ${sql.lit(pruneBatchMax)}
    ), doomed AS MATERIALIZED (
      SELECT j.* FROM seen
       CROSS JOIN LATERAL (
         SELECT j.id, j.tenant_id, j.kind, j.unique_key FROM ${names.jobs} AS j
          WHERE j.id = seen.id AND ${expired(database, retention)} AND ${holdsNoWindow(names)}
            FOR UPDATE SKIP LOCKED
       ) AS j
    ), slots AS MATERIALIZED (
      SELECT s.* FROM doomed AS j CROSS JOIN LATERAL (${slotOf(names)} FOR UPDATE SKIP LOCKED) AS s
    ), freed AS (
      DELETE FROM ${names.uniqueSlots} AS s USING slots AS f
       WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
    ), gone AS (
      DELETE FROM ${names.jobs} AS g WHERE g.id = ANY(ARRAY(
        SELECT j.id FROM doomed AS j
         WHERE j.unique_key IS NULL OR j.id IN (SELECT slots.job_id FROM slots) OR NOT EXISTS (${slotOf(names)})))
      RETURNING g.id AS id, g.tenant_id, g.metadata
    ), forgotten AS (
      DELETE FROM ${names.executions} AS x WHERE x.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
    ), ${removedMetadata(names, 'gone')}, forgotten_logs AS (
      DELETE FROM ${names.logs} AS l WHERE l.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
    ), removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
    )
    SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM seen)::int AS seen,
           (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor`)
  if (row === undefined) throw new Error('a prune gave no answer')
  return { pruned: row.pruned, cursor: row.seen === pruneBatchMax ? row.cursor : null }
}

/** The slot that names the job `j`: null as a key matches nothing, and reads no page. */
function slotOf(names: SchemaNames): RawBuilder<unknown> {
  return sql`
        SELECT s.tenant_id, s.kind, s.key, s.job_id FROM ${names.uniqueSlots} AS s
         WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id = j.id`
}

function holdsNoWindow(names: SchemaNames): RawBuilder<unknown> {
  return sql`(j.unique_scope IS DISTINCT FROM 'window' OR NOT EXISTS (${slotOf(names)} AND s.expires_at > now()))`
}

function expired({ names }: QueueDatabase, retention: Retention): RawBuilder<unknown> {
  const kept = [
    { status: names.status.succeeded, ms: retention.succeededMs },
    { status: names.status.cancelled, ms: retention.cancelledMs },
    { status: names.status.failed_permanent, ms: retention.failedMs },
  ]
  const conditions = kept.flatMap(({ status, ms }) =>
    ms === null ? [] : [sql`(j.status = ${status} AND j.finished_at < now() - ${interval(ms)})`],
  )
  return sql`(${sql.join(conditions, sql` OR `)})`
}

/** The smallest id of a job created `ms` ago, by the database's clock: `smallestJobIdAt` in SQL. */
function idBefore(ms: number): RawBuilder<unknown> {
  const epoch = sql`(extract(epoch FROM now() - ${interval(ms)}) * 1000)::bigint`
  return sql`(lpad(to_hex(greatest(0, ${epoch})), 12, '0') || '70008000000000000000')::uuid`
}

function interval(ms: number): RawBuilder<unknown> {
  return sql`${ms}::float8 * interval '1 millisecond'`
}
