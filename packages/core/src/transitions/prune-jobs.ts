// succeeded | cancelled | failed_permanent → (gone), or → its receipt; with history, logs and dead letter. Called by
// any worker.
import { type RawBuilder, sql } from 'kysely'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
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

/** The database of a prune. Its `transaction` is a new one, or the one that the caller is in. */
type PruneDatabase = QueueDatabase & Pick<ConnectedDatabase, 'transaction'>

/**
 * Removes the jobs past their retention among the next `pruneBatchMax` jobs after `cursor`, oldest first. The walk
 * follows the primary key and ends at the cutoff of the shortest retention, because a job that ended before the cutoff
 * was created before it. So no index of ended jobs is needed, and a call reads a bounded number of rows, whatever the
 * table holds. Rows that another transaction has locked are left for the next walk, and so are jobs whose unique slot
 * it has locked. A job is kept as long as it holds a window.
 *
 * One statement finds the jobs, one locks those of them that it can and checks them again, and one removes these: it
 * sees all that was written about them, because whoever writes about a job locks it.
 *
 * Where keys are kept longer, the row of a job with a key stays as a receipt. A function removes the job's contents,
 * because none of our roles may change the work of a job. The row keeps its entry in the unique index, so a concurrent
 * enqueue finds either the job or its receipt, and never a free key.
 */
export async function pruneJobs(
  database: PruneDatabase,
  retention: Retention,
  cursor: string | null,
): Promise<PruneResult> {
  const retentionsMs = [retention.succeededMs, retention.cancelledMs, retention.failedMs].filter(
    (ms) => ms !== null,
  )
  if (retentionsMs.length === 0) return { pruned: 0, stripped: 0, cursor: null }
  const shortestMs = Math.min(...retentionsMs)
  const [found] = await database.run(findStatement(database, retention, { cursor, shortestMs }))
  if (found === undefined) throw new Error('a prune returned no row')
  const next = found.seen === pruneBatchMax ? found.cursor : null
  if (found.ids.length === 0) return { pruned: 0, stripped: 0, cursor: next }
  return database.transaction(async (inside) => {
    const locked = await inside.run(lockStatement(inside, retention, found.ids))
    if (locked.length === 0) return { pruned: 0, stripped: 0, cursor: next }
    const [row] = await inside.run(removeStatement(inside.names, locked))
    return { pruned: row?.pruned ?? 0, stripped: row?.stripped ?? 0, cursor: next }
  })
}

interface FoundRow {
  readonly ids: readonly string[]
  readonly seen: number
  readonly cursor: string | null
}

function findStatement(
  { names }: QueueDatabase,
  retention: Retention,
  { cursor, shortestMs }: { readonly cursor: string | null; readonly shortestMs: number },
): RawBuilder<FoundRow> {
  return sql`
    WITH seen AS MATERIALIZED (
      SELECT j.id, ${isRemovable(names, retention)} AS is_removable FROM ${names.allJobs} AS j
       WHERE j.id > ${cursor ?? smallestJobIdAt(0)}::uuid AND j.id < ${idBefore(shortestMs)}
       ORDER BY j.id LIMIT ${sql.lit(pruneBatchMax)}
    )
    SELECT ARRAY(SELECT s.id FROM seen AS s WHERE s.is_removable ORDER BY s.id) AS ids,
           (SELECT count(*) FROM seen)::int AS seen, (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor`
}

interface LockedRow {
  readonly id: string
  readonly keeps_key: boolean
}

/** Locks those of these jobs that are still removable, and their slots. Waits for nothing. */
function lockStatement(
  { names }: QueueDatabase,
  retention: Retention,
  ids: readonly string[],
): RawBuilder<LockedRow> {
  return sql`
    WITH doomed AS MATERIALIZED (
      SELECT j.id, j.tenant_id, j.kind, j.unique_key, ${keyIsKept(retention.keyMs)} AS keeps_key FROM ${names.jobs} AS j
       WHERE j.id = ANY(${ids}::uuid[]) AND ${isRemovable(names, retention)} ORDER BY j.id FOR UPDATE SKIP LOCKED
    ), archived AS MATERIALIZED (
      SELECT e.id FROM ${names.endedJobs} AS e WHERE e.id = ANY(${ids}::uuid[]) ORDER BY e.id FOR UPDATE SKIP LOCKED
    ), slots AS MATERIALIZED (
      SELECT s.* FROM doomed AS j CROSS JOIN LATERAL (${slotOf(names)} FOR UPDATE SKIP LOCKED) AS s
    )
    SELECT e.id, false AS keeps_key FROM archived AS e
     UNION ALL
    SELECT j.id, j.keeps_key FROM doomed AS j
     WHERE j.unique_key IS NULL OR j.id IN (SELECT slots.job_id FROM slots) OR NOT EXISTS (${slotOf(names)})`
}

/** Removes what was written about these jobs, which are locked, and the jobs except those that become receipts. */
function removeStatement(
  names: SchemaNames,
  locked: readonly LockedRow[],
): RawBuilder<{ readonly pruned: number; readonly stripped: number }> {
  const idsOf = (rows: readonly LockedRow[]) => sql`${rows.map(({ id }) => id)}::uuid[]`
  const ids = idsOf(locked)
  return sql`
    WITH freed AS (
      DELETE FROM ${names.uniqueSlots} AS s USING ${names.jobs} AS j
       WHERE j.id = ANY(${ids}) AND s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key
         AND s.job_id = j.id
    ), gone AS (
      DELETE FROM ${names.jobs} AS g WHERE g.id = ANY(${idsOf(locked.filter((job) => !job.keeps_key))})
      RETURNING g.id AS id, g.tenant_id, g.metadata
    ), gone_archived AS (
      DELETE FROM ${names.endedJobs} AS e WHERE e.id = ANY(${ids}) RETURNING e.id, e.tenant_id, e.metadata
    ), all_gone AS (
      SELECT * FROM gone UNION ALL SELECT * FROM gone_archived
    ), stripped AS MATERIALIZED (
      SELECT FROM ${names.stripJobs}(${idsOf(locked.filter((job) => job.keeps_key))})
    ), forgotten AS (
      DELETE FROM ${names.executions} AS x WHERE x.job_id = ANY(${ids})
    ), ${removedMetadata(names, 'all_gone')}, forgotten_logs AS (
      DELETE FROM ${names.logs} AS l WHERE l.job_id = ANY(${ids})
    ), removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(${ids})
    ), removed_undo AS (
      DELETE FROM ${names.requeuedJobs} AS k WHERE k.job_id = ANY(${ids})
    )
    SELECT (SELECT count(*) FROM all_gone)::int AS pruned, (SELECT count(*) FROM stripped)::int AS stripped`
}

/** Whether the job `j` is past its retention, holds no window, and is not already the receipt that it has to stay. */
function isRemovable(names: SchemaNames, retention: Retention): RawBuilder<boolean> {
  return sql`(${isPastRetention(names, retention)} AND ${holdsNoWindow(names)}
              AND NOT (j.stripped_at IS NOT NULL AND ${keyIsKept(retention.keyMs)}))`
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
  const epoch = sql`(extract(epoch FROM now() - ${interval(ms)}) * 1000::numeric)::bigint`
  return sql`(lpad(to_hex(greatest(0, ${epoch})), 12, '0') || '70008000000000000000')::uuid`
}

function interval(ms: number): RawBuilder<unknown> {
  return sql`${ms}::float8 * interval '1 millisecond'`
}
