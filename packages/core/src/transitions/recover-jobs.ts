// running → retrying | failed_permanent | cancelled, without its worker. Called by any worker, and by operators.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { recordHistory, writeDeadLetters } from '../database/attempt-history.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { laneColumns, writeEndEvents } from '../database/lane-events.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import type { JobStatus } from '../domain/job.ts'
import { recoverBatchMax, recoveryJitterMsMax } from '../domain/limits.ts'
import { anyExpired } from './expire-jobs.ts'
import { unlessCancelled } from './complete-attempts.ts'

export interface RecoveredJob {
  readonly id: string
  readonly kind: string
  readonly queue: string
  readonly tenantId: string | null
  /** The number of the lost attempt. */
  readonly attempt: number
  /** The lost worker. */
  readonly workerId: string
  readonly status: JobStatus
  readonly recoveredAt: Date
}

export interface Recovery {
  /** The workers whose expired lease this call found, and which it marked as lost. */
  readonly lostWorkers: readonly string[]
  /** A full batch means that there may be more: call again. */
  readonly jobs: readonly RecoveredJob[]
  /** Whether there are jobs for `expireJobs`. Recovery reports it, so that it takes no statement of its own. */
  readonly anyExpired: boolean
}

/**
 * Marks the workers whose lease has expired as lost, and takes over the running jobs whose `locked_by` is not an active
 * worker, up to `recoverBatchMax` in one call. The attempt stays charged and counts as a crash. A job without attempts
 * left becomes a dead letter in the same statement.
 *
 * Orphaned jobs are searched under the names of workers that are gone, and in the gaps between the registered names.
 * The running jobs of live workers, and the dead index entries of jobs that they finished, are never read.
 */
export async function recoverJobs(database: QueueDatabase): Promise<Recovery> {
  const { names } = database
  const rows = await database.run(sql<RecoveryRow>`
    WITH lost AS (
      UPDATE ${names.workers} AS w SET state = 'lost'
        FROM (SELECT x.id FROM ${names.workers} AS x
               WHERE x.state = 'active' AND x.lease_expires_at < now()
               ORDER BY x.id FOR UPDATE SKIP LOCKED) AS expired
       WHERE w.id = expired.id AND w.state = 'active' AND w.lease_expires_at < now()
      RETURNING w.id
    ), ${orphansOf(names)}, ${recoverOrphans(names)}
    SELECT id, kind, queue, tenant_id AS "tenantId", attempt, worker_id AS "workerId", status,
           ${epochMs(sql`statement_timestamp()`)} AS recovered_at FROM ended
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, lost.id, NULL, NULL FROM lost
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE ${anyExpired(names)}`)
  return {
    lostWorkers: rows.flatMap((row) => (row.id === null && row.workerId !== null ? [row.workerId] : [])),
    jobs: rows.flatMap((row) => {
      if (row.id === null) return []
      const { recovered_at, ...job } = row
      return [{ ...job, recoveredAt: new Date(recovered_at) }]
    }),
    anyExpired: rows.some((row) => row.workerId === null),
  }
}

/** A recovered job; a lost worker; or, with neither, a mark that there are jobs to expire. */
type RecoveryRow =
  | (Omit<RecoveredJob, 'recoveredAt'> & { readonly recovered_at: number })
  | { readonly id: null; readonly workerId: string | null }

/**
 * The running jobs of workers that are gone, and of workers that are not registered.
 *
 * The planner's estimates matter here. It estimates a name that it does not know at a third of the table, and
 * PostgreSQL compiles a statement that looks expensive (`jit_above_cost`), which takes seconds. So the names come out
 * of arrays, which are estimated at ten rows, and each scan ends with its limit in the order of the index. The rows are
 * running by the table's own check, and are checked again when they are locked.
 */
function orphansOf(names: SchemaNames): RawBuilder<unknown> {
  const batch = sql.lit(recoverBatchMax)
  const orphansWhere = (condition: RawBuilder<unknown>) => sql`CROSS JOIN LATERAL (
        SELECT j.id, j.lease_token FROM ${names.jobs} AS j WHERE ${condition}
         ORDER BY j.locked_by, j.locked_at LIMIT ${batch}) AS orphan`
  return sql`gone AS (
      SELECT unnest(ARRAY(SELECT w.id FROM ${names.workers} AS w WHERE w.state <> 'active'
                           UNION ALL SELECT lost.id FROM lost)) AS id
    ), known AS MATERIALIZED (
      SELECT ARRAY(SELECT w.id FROM ${names.workers} AS w ORDER BY w.id) AS ids
    ), gaps AS (
      SELECT gap.low, gap.high FROM known, unnest('{""}' || known.ids, known.ids) AS gap (low, high)
    ), candidates AS MATERIALIZED (
      SELECT orphan.* FROM gone ${orphansWhere(sql`j.locked_by = gone.id`)}
      UNION ALL
      SELECT orphan.* FROM gaps ${orphansWhere(sql`j.locked_by > gaps.low AND j.locked_by < gaps.high`)}
      UNION ALL
      SELECT orphan.* FROM gaps ${orphansWhere(sql`j.locked_by > gaps.low`)} WHERE gaps.high IS NULL
       LIMIT ${batch}
    )`
}

/**
 * The candidates were read without locks. They are locked here, and their lease tokens compared again: a row that was
 * finished, or recovered and claimed again, in between is left alone. The owner alone would not be enough, because a
 * worker that registered after this statement began is not in its snapshot. The lateral lookup uses the primary key,
 * however many running jobs the planner expects.
 */
function recoverOrphans(names: SchemaNames): RawBuilder<unknown> {
  const history = {
    outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'lost' END`,
    error: lostError,
    mayDeadLetter: true,
  }
  return sql`held AS MATERIALIZED (
      SELECT j.* FROM (SELECT c.* FROM candidates AS c ORDER BY c.id) AS c
       CROSS JOIN LATERAL (
         SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested,
                j.counted, j.locked_by AS worker_id, j.locked_at AS started_at
           FROM ${names.jobs} AS j
          WHERE j.id = c.id AND j.lease_token = c.lease_token AND j.status = ${names.status.running}
            FOR UPDATE SKIP LOCKED
       ) AS j
    ), ended AS (${endAttempts(names)}), ${writeEndEvents(names)}, ${recordHistory(names, history)}, ${writeDeadLetters(names, history)}`
}

const lostError = sql`'the worker ' || h.worker_id || ' was lost during the attempt'`

function endAttempts(names: SchemaNames): RawBuilder<unknown> {
  const next = unlessCancelled(
    names,
    sql`CASE WHEN h.attempt >= h.max_attempts THEN ${names.status.failed_permanent}
             ELSE ${names.status.retrying} END`,
  )
  const jitter = sql`random() * ${sql.lit(recoveryJitterMsMax)}::float8 * interval '1 millisecond'`
  return sql`
      UPDATE ${names.jobs} AS j
         SET status = h.next_status,
             run_at = CASE WHEN h.next_status = ${names.status.retrying} THEN statement_timestamp() + ${jitter} ELSE j.run_at END,
             finished_at = CASE WHEN h.next_status = ${names.status.retrying} THEN NULL ELSE statement_timestamp() END,
             crashes = least(j.crashes + 1, 32767),
             last_error = ${lostError}, updated_at = ${updatedAt(sql`statement_timestamp()`)}, locked_at = NULL, locked_by = NULL, counted = NULL
        FROM (SELECT h.*, ${next} AS next_status FROM held AS h) AS h
       WHERE j.id = h.id AND j.id = ANY(ARRAY(SELECT held.id FROM held))
      RETURNING h.*, j.status, j.crashes, j.run_at, ${laneColumns}`
}
