import type { Job } from '@queue/core'
import { toCamelCase } from '@queue/core/plain'
import { copiedColumns, type JobColumnName, tables } from '@queue/core/internal'
import { databaseRule } from './database-rule.ts'
import { assertArguments, assertKnownOptions } from '@queue/loop/arguments'
import pg from 'pg'
import type { TestDatabase } from './create-test-database.ts'
import { type Instant, type JobColumns, jobColumns, type JobOverrides } from './job-columns.ts'

/** The members of a job, by the names of their columns. */
const jobFields = Object.fromEntries(
  Object.keys(tables.jobs.columns).map((name) => [toCamelCase(name), true]),
)

/**
 * Writes one job in any status, as if it had reached that status in the usual way: with the history of its attempts, the rows
 * of its metadata, and its dead letter if it is dead-lettered. Values that are not given fit the status. Given values are not
 * checked, so that a test can create inconsistent rows.
 */
export async function insertJob(database: TestDatabase, overrides: JobOverrides = {}): Promise<Job> {
  assertArguments('insertJob', { database: databaseRule }, [database])
  assertKnownOptions('insertJob', overrides, jobFields)
  const columns = jobColumns(overrides)
  const schema = pg.escapeIdentifier(database.schema)
  const values: unknown[] = []
  const names = Object.keys(columns) as JobColumnName[]
  const expressions = names.map((name) => expression({ schema, name, value: columns[name] }, values))
  await database.pool.query(
    `WITH job AS (
       INSERT INTO ${schema}.jobs (${names.join(', ')}) VALUES (${expressions.join(', ')})
       RETURNING *
     ), described AS (
       INSERT INTO ${schema}.job_metadata (tenant_id, name, value, job_id)
       SELECT coalesce(job.tenant_id, ''), m.key, left(m.value, 200), job.id
         FROM job CROSS JOIN LATERAL jsonb_each_text(job.metadata) AS m
     ), attempt AS (
       SELECT job.*, n AS number, lease_token - attempts + n AS token,
              CASE WHEN n = attempts AND status IN ('succeeded', 'cancelled') THEN status::text ELSE 'failed' END
                AS outcome
         FROM job, generate_series(1, CASE WHEN status = 'running' THEN attempts - 1 ELSE attempts END) AS n
     ), history AS (
       INSERT INTO ${schema}.job_executions
         (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error)
       SELECT id, token, number, 'test-worker', created_at, now(), outcome,
              CASE WHEN outcome = 'failed' THEN 'the attempt failed' END
         FROM attempt WHERE outcome <> 'succeeded'
     ), lane_event AS (
       INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
       SELECT run_at, queue, kind, key, coalesce(tenant_id, ''), priority FROM job
        WHERE key IS NOT NULL AND status IN ('queued', 'retrying')
     )
     ${deadLetterStatement(schema)}`,
    values,
  )
  return readBack(database, columns)
}

function deadLetterStatement(schema: string): string {
  const columnsOfJob = copiedColumns.join(', ')
  return `INSERT INTO ${schema}.dead_letter_jobs (job_id, dead_lettered_at, ${columnsOfJob}, execution_history)
    SELECT id, now(), ${columnsOfJob},
           (SELECT coalesce(jsonb_agg(jsonb_build_object('lease_token', token, 'attempt', number,
                     'worker_id', 'test-worker', 'started_at', created_at, 'finished_at', now(),
                     'outcome', outcome, 'error', 'the attempt failed') ORDER BY number), '[]') FROM attempt)
      FROM job WHERE status = 'failed_permanent'`
}

interface ColumnValue {
  readonly schema: string
  readonly name: JobColumnName
  readonly value: unknown
}

/** The SQL expression of a column's value. Appends the parameter of the value to `values`. */
function expression({ schema, name, value }: ColumnValue, values: unknown[]): string {
  const parameter = `$${values.length + 1}`
  const { type } = tables.jobs.columns[name]
  if (type === 'jsonb') {
    values.push(value === null ? null : JSON.stringify(value))
    return `${parameter}::jsonb`
  }
  if (isFromNow(value)) {
    values.push(value.msFromNow)
    return `now() + ${parameter}::float8 * interval '1 millisecond'`
  }
  values.push(value)
  return type === 'job_status' ? `${parameter}::${schema}.job_status` : parameter
}

function isFromNow(value: unknown): value is Exclude<Instant, Date> {
  return typeof value === 'object' && value !== null && 'msFromNow' in value
}

async function readBack(database: TestDatabase, columns: JobColumns): Promise<Job> {
  const job = await database.queue.get(String(columns.id))
  if (job === undefined) throw new Error('the inserted job does not exist')
  return job
}
