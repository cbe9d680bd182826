// running → retrying | failed_permanent | cancelled, without the worker. Called by any worker, and by operators.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import type { JobStatus } from '../domain/job.ts'
import { recoverBatchMax, recoveryJitterMsMax } from '../domain/limits.ts'
import { buryExhausted, recordHistory, unlessCancelled } from './settle-attempts.ts'

export interface RecoveredJob {
  readonly id: string
  readonly kind: string
  /** The worker that was lost. */
  readonly workerId: string
  readonly status: JobStatus
}

/**
 * Takes every running job whose `locked_by` is no worker in state active, however it came to be so, up to
 * `recoverBatchMax` in one call: call again while the batch comes back full. The attempt stays charged and counts
 * as a crash; a job without attempts left becomes a dead letter in the same statement.
 */
export function recoverJobs(database: QueueDatabase): Promise<RecoveredJob[]> {
  const { names } = database
  return recover(
    database,
    sql`NOT EXISTS (SELECT FROM ${names.workers} AS w WHERE w.id = j.locked_by AND w.state = 'active')`,
  )
}

/**
 * Takes running jobs that were claimed more than `thresholdMs` ago, whatever their worker's state: an operator's
 * tool for rows whose worker is unknown. It can take a live worker's job, whose later finish is then refused.
 */
export function recoverStale(database: QueueDatabase, thresholdMs: number): Promise<RecoveredJob[]> {
  return recover(database, sql`j.locked_at < now() - ${thresholdMs}::float8 * interval '1 millisecond'`)
}

/**
 * The candidates are read without locks and locked afterwards, the lease token compared again: a row that was
 * finished, or recovered and claimed anew, between the two is left alone. Comparing the token and not only the
 * owner matters, because a worker that registered after this statement began is not in its snapshot.
 */
function recover(database: QueueDatabase, isOrphan: RawBuilder<unknown>): Promise<RecoveredJob[]> {
  const { names } = database
  const history = {
    outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'lost' END`,
    error: lostError,
  }
  return database.run(sql<RecoveredJob>`
    WITH candidates AS MATERIALIZED (
      SELECT j.id, j.lease_token FROM ${names.jobs} AS j
       WHERE j.locked_by IS NOT NULL AND j.status = ${names.status.running} AND ${isOrphan}
       LIMIT ${sql.lit(recoverBatchMax)}
    ), held AS MATERIALIZED (
      SELECT j.id, j.lease_token, j.kind, j.attempts AS attempt, j.max_attempts, j.cancel_requested,
             j.locked_by AS worker_id, j.locked_at AS started_at
        FROM ${names.jobs} AS j JOIN candidates AS c ON c.id = j.id AND c.lease_token = j.lease_token
       WHERE j.status = ${names.status.running}
       ORDER BY j.id
         FOR UPDATE OF j SKIP LOCKED
    ), ended AS (${takeOver(names)}), ${recordHistory(names, history)}, ${buryExhausted(names, history)}
    SELECT id, kind, worker_id AS "workerId", status FROM ended`)
}

const lostError = sql`'the worker ' || h.worker_id || ' was lost during the attempt'`

function takeOver(names: SchemaNames): RawBuilder<unknown> {
  const next = unlessCancelled(
    names,
    sql`CASE WHEN h.attempt >= h.max_attempts THEN ${names.status.failed_permanent}
             ELSE ${names.status.retrying} END`,
  )
  const jitter = sql`random() * ${sql.lit(recoveryJitterMsMax)} * interval '1 millisecond'`
  return sql`
      UPDATE ${names.jobs} AS j
         SET status = h.next_status,
             run_at = CASE WHEN h.next_status = ${names.status.retrying} THEN now() + ${jitter} ELSE j.run_at END,
             finished_at = CASE WHEN h.next_status = ${names.status.retrying} THEN NULL ELSE now() END,
             crashes = least(j.crashes + 1, 32767),
             last_error = ${lostError}, updated_at = now(), locked_at = NULL, locked_by = NULL
        FROM (SELECT h.*, ${next} AS next_status FROM held AS h) AS h
       WHERE j.id = h.id
      RETURNING h.*, j.status, j.crashes`
}
