// succeeded | cancelled | failed_permanent → (gone), or → its receipt; with history, logs and dead letter. Called by
// any worker.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { runKeyPrefix } from '../domain/idempotency.ts'
import { smallestJobIdAt } from '../domain/job-id.ts'
import { pruneBatchMax } from '../domain/limits.ts'
import { removedMetadata } from '../database/metadata-rows.ts'
import { slotOf } from '../unique/slots.ts'

/** How long ended jobs are kept, in milliseconds; null keeps them for ever. */
export interface Retention {
  readonly succeededMs: number | null
  readonly cancelledMs: number | null
  readonly failedMs: number | null
  /**
   * For how long after its end the idempotency key of a job stays known, at least. A job that is removed earlier leaves
   * a receipt. Null: the key is known as long as the job is kept.
   */
  readonly keyMs: number | null
}

export interface PruneResult {
  /** Jobs and receipts that were removed. */
  readonly pruned: number
  /** Jobs that were stripped to a receipt. */
  readonly stripped: number
  /** Where the next call continues; null when the walk has reached its end and starts over. */
  readonly cursor: string | null
}

/**
 * Removes the jobs past their retention among the next `pruneBatchMax` jobs after `cursor`, oldest first. The walk
 * follows the primary key and ends at the cutoff of the shortest retention, because a job that ended before the cutoff
 * was created before it. So no index of ended jobs is needed, and a call reads a bounded number of rows, whatever the
 * table holds. Rows that another transaction has locked are left for the next walk, and so are jobs whose unique slot
 * it has locked. A job is kept as long as it holds a window.
 *
 * Where keys are kept longer, the row of a job with a key stays as a receipt. A function removes the job's contents,
 * because none of our roles may change the work of a job. The row keeps its entry in the unique index, so a concurrent
 * enqueue finds either the job or its receipt, and never a free key.
 */
export async function pruneJobs(
  database: QueueDatabase,
  retention: Retention,
  cursor: string | null,
): Promise<PruneResult> {
  const retentionsMs = [retention.succeededMs, retention.cancelledMs, retention.failedMs].filter(
    (ms) => ms !== null,
  )
  if (retentionsMs.length === 0) return { pruned: 0, stripped: 0, cursor: null }
  const shortestMs = Math.min(...retentionsMs)
  const [row] = await database.run(pruneStatement(database, retention, { cursor, shortestMs }))
  if (row === undefined) throw new Error('a prune returned no row')
  const { pruned, stripped, seen } = row
  return { pruned, stripped, cursor: seen === pruneBatchMax ? row.cursor : null }
}

interface PruneRow {
  readonly pruned: number
  readonly stripped: number
  readonly seen: number
  readonly cursor: string | null
}

function pruneStatement(
  { names }: QueueDatabase,
  retention: Retention,
  { cursor, shortestMs }: { readonly cursor: string | null; readonly shortestMs: number },
): RawBuilder<PruneRow> {
  const keepsKey = keyIsKept(retention.keyMs)
  const pastIds = sql`ARRAY(SELECT past.id FROM past)`
  return sql`
    WITH seen AS MATERIALIZED (
      SELECT j.id FROM ${names.jobs} AS j
       WHERE j.id > ${cursor ?? smallestJobIdAt(0)}::uuid AND j.id < ${idBefore(shortestMs)}
       ORDER BY j.id LIMIT ${sql.lit(pruneBatchMax)}
    ), doomed AS MATERIALIZED (
      SELECT j.* FROM seen
       CROSS JOIN LATERAL (
         SELECT j.id, j.tenant_id, j.kind, j.unique_key, ${keepsKey} AS keeps_key FROM ${names.jobs} AS j
          WHERE j.id = seen.id AND ${isPastRetention(names, retention)} AND ${holdsNoWindow(names)}
            AND NOT (j.stripped_at IS NOT NULL AND ${keepsKey})
            FOR UPDATE SKIP LOCKED
       ) AS j
    ), slots AS MATERIALIZED (
      SELECT s.* FROM doomed AS j CROSS JOIN LATERAL (${slotOf(names)} FOR UPDATE SKIP LOCKED) AS s
    ), freed AS (
      DELETE FROM ${names.uniqueSlots} AS s USING slots AS f
       WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
    ), past AS MATERIALIZED (
      SELECT j.id, j.keeps_key FROM doomed AS j
       WHERE j.unique_key IS NULL OR j.id IN (SELECT slots.job_id FROM slots) OR NOT EXISTS (${slotOf(names)})
    ), gone AS (
      DELETE FROM ${names.jobs} AS g WHERE g.id = ANY(ARRAY(SELECT past.id FROM past WHERE NOT past.keeps_key))
      RETURNING g.id AS id, g.tenant_id, g.metadata
    ), stripped AS MATERIALIZED (
      SELECT FROM ${names.stripJobs}(ARRAY(SELECT past.id FROM past WHERE past.keeps_key))
    ), forgotten AS (
      DELETE FROM ${names.executions} AS x WHERE x.job_id = ANY(${pastIds})
    ), ${removedMetadata(names, 'gone')}, forgotten_logs AS (
      DELETE FROM ${names.logs} AS l WHERE l.job_id = ANY(${pastIds})
    ), removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(${pastIds})
    )
    SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM stripped)::int AS stripped,
           (SELECT count(*) FROM seen)::int AS seen, (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor`
}

/** Whether the key of the job `j` must stay known. The keys of scheduled runs are not needed after the run. */
function keyIsKept(keyMs: number | null): RawBuilder<boolean> {
  if (keyMs === null) return sql`false`
  return sql`(j.idempotency_key IS NOT NULL AND NOT starts_with(j.idempotency_key, ${sql.lit(runKeyPrefix)})
              AND j.finished_at >= now() - ${interval(keyMs)})`
}

function holdsNoWindow(names: SchemaNames): RawBuilder<unknown> {
  return sql`(j.unique_scope IS DISTINCT FROM 'window' OR NOT EXISTS (${slotOf(names)} AND s.expires_at > now()))`
}

function isPastRetention(names: SchemaNames, retention: Retention): RawBuilder<unknown> {
  const retentions = [
    { status: names.status.succeeded, ms: retention.succeededMs },
    { status: names.status.cancelled, ms: retention.cancelledMs },
    { status: names.status.failed_permanent, ms: retention.failedMs },
  ]
  const conditions = retentions.flatMap(({ status, ms }) =>
    ms === null ? [] : [sql`(j.status = ${status} AND j.finished_at < now() - ${interval(ms)})`],
  )
  return sql`(${sql.join(conditions, sql` OR `)})`
}

/** The smallest id of a job created `ms` ago by the database's clock: `smallestJobIdAt` in SQL. */
function idBefore(ms: number): RawBuilder<unknown> {
  const epoch = sql`(extract(epoch FROM now() - ${interval(ms)}) * 1000)::bigint`
  return sql`(lpad(to_hex(greatest(0, ${epoch})), 12, '0') || '70008000000000000000')::uuid`
}

function interval(ms: number): RawBuilder<unknown> {
  return sql`${ms}::float8 * interval '1 millisecond'`
}
