// What a requeue keeps of each job, so that its undo can restore the job and its dead letter.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from './schema-names.ts'
import { type JobColumnName, tables } from './tables.ts'

/** The columns that a requeue changes, besides `updated_at`. The undo restores them. */
export const requeuedColumns = [
  'status',
  'attempts',
  'run_at',
  'finished_at',
  'expires_at',
  'cancel_requested',
  'cancel_reason',
  'unique_scope',
  'result',
  'progress',
  'progress_message',
] as const satisfies readonly JobColumnName[]

/** The columns of a dead letter that the row of its requeued job still has. They may be large, or are those of a new row. */
const columnsOfJob = ['payload', 'metadata', 'lease_token'] as const

/**
 * `kept AS (…)`: keeps of each job that `changed` returned what it was before, which the rows of `before` say, and its
 * dead letter. Both are parts of the same statement. A later requeue of the same job replaces what was kept.
 */
export function keepForUndo(names: SchemaNames, before: string, changed: string): RawBuilder<unknown> {
  const members = sql.join(requeuedColumns.map((name) => sql`${sql.lit(name)}, b.${sql.id(name)}`))
  return sql`kept AS (
      INSERT INTO ${names.requeuedJobs} (job_id, tenant_id, requeued_at, job, dead_letter)
      SELECT c.id, c.tenant_id, c.updated_at, jsonb_build_object(${members}),
             (SELECT to_jsonb(d) - ARRAY[${sql.join(columnsOfJob.map((name) => sql.lit(name)))}]
                FROM ${names.deadLetters} AS d WHERE d.job_id = c.id)
        FROM ${sql.id(changed)} AS c JOIN ${sql.id(before)} AS b ON b.id = c.id
       ORDER BY c.id
      ON CONFLICT (job_id) DO UPDATE SET (requeued_at, job, dead_letter)
        = ROW (EXCLUDED.requeued_at, EXCLUDED.job, EXCLUDED.dead_letter)
    )`
}

/** `restored_dead_letters AS (…)`: inserts the dead letters that `kept` has for the jobs of `changed` again. */
export function restoreDeadLetters(names: SchemaNames): RawBuilder<unknown> {
  const columns = Object.keys(tables.dead_letter_jobs.columns)
  const isOfJob = (name: string): boolean => (columnsOfJob as readonly string[]).includes(name)
  const values = columns.map((name) => sql`${sql.id(isOfJob(name) ? 'c' : 'd')}.${sql.id(name)}`)
  return sql`restored_dead_letters AS (
      INSERT INTO ${names.deadLetters} (${sql.join(columns.map((name) => sql.id(name)))})
      SELECT ${sql.join(values)}
        FROM changed AS c JOIN kept AS k ON k.job_id = c.id
       CROSS JOIN LATERAL jsonb_populate_record(NULL::${names.deadLetters}, k.dead_letter) AS d
       WHERE k.dead_letter IS NOT NULL
    )`
}
