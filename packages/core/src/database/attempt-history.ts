// The history of ended attempts, and the dead letter, as parts of statements.
import { type RawBuilder, sql } from 'kysely'
import { executionsPerJobMax } from '../domain/limits.ts'
import type { SchemaNames } from './schema-names.ts'
import { type CopiedColumn, copiedColumns } from './tables.ts'

/** The history row of an ended attempt. */
export interface AttemptHistory {
  readonly outcome: RawBuilder<unknown>
  readonly error: RawBuilder<unknown>
  /** Whether the rows have `error_class` and `fingerprint`, and are counted in their error group. */
  readonly hasCause?: true
  /** Whether the job may become failed_permanent, and then gets a dead letter. */
  readonly mayDeadLetter: boolean
}

/**
 * An attempt ends when the statement does, which may be the last one of a handler's transaction. A recovery may have
 * begun some milliseconds before the claim that its snapshot sees.
 */
const endedAt = sql`greatest(statement_timestamp(), h.started_at)`

/**
 * Writes the history row of each ended attempt, and removes rows beyond the number kept per job. Rows are counted, not
 * tokens: a claim that was returned unstarted has raised the token and left no row. A job whose token is too low to
 * have so many rows is skipped.
 */
export function recordHistory(names: SchemaNames, history: AttemptHistory): RawBuilder<unknown> {
  const [causeColumns, causeValues] = history.hasCause
    ? [sql`, error_class, fingerprint`, sql`, h.error_class, h.fingerprint`]
    : [sql``, sql``]
  return sql`history AS (
      INSERT INTO ${names.executions}
        (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error${causeColumns})
      SELECT h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, ${endedAt},
             ${history.outcome}, ${history.error}${causeValues}
        FROM ended AS h
    ), trimmed AS (
      DELETE FROM ${names.executions} AS x USING (
        SELECT h.id, (SELECT e.lease_token FROM ${names.executions} AS e WHERE e.job_id = h.id
                       ORDER BY e.lease_token DESC OFFSET ${sql.lit(executionsPerJobMax - 1)} LIMIT 1) AS newest_beyond
          FROM ended AS h WHERE h.lease_token > ${sql.lit(executionsPerJobMax)} OFFSET 0
      ) AS long
       WHERE x.job_id = long.id AND x.lease_token <= long.newest_beyond
    )`
}

/**
 * The ended attempts of jobs, as a relation: those that did not succeed have rows of their own, and the one that did is on the
 * row of its job.
 */
export function endedAttempts(names: SchemaNames): RawBuilder<unknown> {
  return sql`(
        SELECT x.job_id, x.lease_token, x.attempt, x.worker_id, x.started_at, x.finished_at, x.outcome, x.error, x.error_class,
               x.fingerprint
          FROM ${names.executions} AS x
         UNION ALL
        SELECT j.id, j.lease_token, j.attempts, j.worker_id, j.started_at, greatest(j.finished_at, j.started_at), 'succeeded', NULL,
               NULL, NULL
          FROM ${names.allJobs} AS j WHERE j.status = ${names.status.succeeded} AND j.started_at IS NOT NULL)`
}

const deadLetterColumnNames = [
  'job_id',
  'dead_lettered_at',
  ...copiedColumns,
  'fingerprint',
  'execution_history',
]
const writtenColumns = sql.join(deadLetterColumnNames.map((name) => sql.id(name)))
const excludedColumns = sql.join(deadLetterColumnNames.map((name) => sql`EXCLUDED.${sql.id(name)}`))

/**
 * Writes the dead letter of each job that has just become failed_permanent. The attempt that dead-lettered the job is
 * added to its history here, because this statement's snapshot cannot see its own insert, nor what it trims.
 */
export function writeDeadLetters(names: SchemaNames, history: AttemptHistory): RawBuilder<unknown> {
  const currentValues: Partial<Record<CopiedColumn, RawBuilder<unknown>>> = {
    lease_token: sql`h.lease_token`,
    attempts: sql`h.attempt`,
    crashes: sql`h.crashes`,
    last_error: sql`coalesce(${history.error}, j.last_error)`,
  }
  const copies = copiedColumns.map((name) => currentValues[name] ?? sql`j.${sql.id(name)}`)
  const cause = history.hasCause
    ? { errorClass: sql`h.error_class`, fingerprint: sql`h.fingerprint` }
    : { errorClass: sql`NULL::text`, fingerprint: sql`NULL::text` }
  return sql`dead_lettered AS (
      INSERT INTO ${names.deadLetters} AS d (${writtenColumns})
      SELECT j.id, statement_timestamp(), ${sql.join(copies)}, ${cause.fingerprint},
             (SELECT coalesce(jsonb_agg(${executionJson()} ORDER BY x.lease_token), '[]')
                FROM (SELECT * FROM ${names.executions} AS e WHERE e.job_id = h.id
                       ORDER BY e.lease_token DESC LIMIT ${sql.lit(executionsPerJobMax - 1)}) AS x)
               || (SELECT ${executionJson()} FROM (SELECT h.lease_token, h.attempt, h.worker_id, h.started_at,
                          ${endedAt} AS finished_at, ${history.outcome} AS outcome, ${history.error} AS error,
                          ${cause.errorClass} AS error_class, ${cause.fingerprint} AS fingerprint) AS x)
        FROM ended AS h JOIN ${names.jobs} AS j ON j.id = h.id
       WHERE h.status = ${names.status.failed_permanent}
       ORDER BY h.id
      ON CONFLICT (job_id) DO UPDATE SET
        (${writtenColumns}) = ROW (${excludedColumns})
    )`
}

function executionJson(): RawBuilder<unknown> {
  return sql`jsonb_build_object('lease_token', x.lease_token, 'attempt', x.attempt, 'worker_id', x.worker_id,
                 'started_at', x.started_at, 'finished_at', x.finished_at, 'outcome', x.outcome, 'error', x.error,
                 'error_class', x.error_class, 'fingerprint', x.fingerprint)`
}
