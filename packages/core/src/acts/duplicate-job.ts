// (a job) → another job, queued. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { MintIds } from '../database/id-mint.ts'
import { createdAt, isInTime } from '../database/job-input.ts'
import { insertedMetadata } from '../database/metadata-rows.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { enqueuedColumns } from '../database/tables.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { createdMsOf } from '../domain/job-id.ts'
import { enqueueTooOld } from '../transitions/enqueue-jobs.ts'
import { isReceipt } from '../transitions/requeue-job.ts'

/**
 * The columns that are not copied: the id, the start, the keys, which belong to one job, and the trace of the original
 * enqueue.
 */
const uncopiedColumns: readonly string[] = [
  'id',
  'run_at',
  'idempotency_key',
  'idempotency_fingerprint',
  'unique_key',
  'unique_scope',
  'trace_context',
]

/**
 * Enqueues another job with the same work and options, due now. A job that is being removed is not copied. It has neither the idempotency key nor the unique key,
 * and the expiry only where that is not past. Throws `job_not_found`, or `InvalidTransition` where retention has
 * removed the payload.
 *
 * A job that has left `jobs` is found by a second statement: the first one may have waited for the end of its attempt, and then sees
 * neither of its rows.
 */
export async function duplicateJob(database: QueueDatabase, id: string, mintIds: MintIds): Promise<Job> {
  const { jobs, allJobs } = database.names
  const [newId = ''] = await mintIds(database, 1)
  const isOriginal = sql`j.id = ${id}::uuid${andWithin(database, 'j')}`
  const originals = [
    sql`SELECT j.* FROM ${jobs} AS j WHERE ${isOriginal} FOR KEY SHARE`,
    sql`SELECT j.* FROM ${allJobs} AS j WHERE ${isOriginal} AND j.status = ${database.names.status.succeeded}`,
  ]
  for (const original of originals) {
    const [row] = await database.run(duplicateStatement(database, original, newId))
    if (row?.made === true) return decodeJob(row)
    if (row !== undefined) throw row.stripped_at === null ? enqueueTooOld() : isReceipt(row, 'duplicated')
  }
  throw new QueueError('job_not_found', `there is no job ${id}`)
}

function duplicateStatement(
  { names }: QueueDatabase,
  original: RawBuilder<unknown>,
  newId: string,
): RawBuilder<JobRow & { readonly made: boolean }> {
  const mintedMs = sql`${createdMsOf(newId)}`
  const copiedColumns = enqueuedColumns.filter((name) => !uncopiedColumns.includes(name))
  return sql`
    WITH original AS MATERIALIZED (
      ${original}
    ), clock AS MATERIALIZED (
      SELECT at, ${createdAt(mintedMs)} FROM (SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM original) AS locked) AS n
       WHERE ${isInTime(mintedMs)}
    ), made AS (
      INSERT INTO ${names.jobs} AS n (id, ${sql.join(copiedColumns.map((name) => sql.id(name)))}, run_at, created_at, updated_at)
      SELECT ${newId}::uuid, ${sql.join(copiedColumns.map(valueOf))}, clock.at, clock.created_at, clock.created_at
        FROM clock CROSS JOIN original AS j WHERE j.stripped_at IS NULL
      RETURNING n.*
    ), ${insertedMetadata(names, 'made')}, ${writeWaitingEvents(names, 'made')}
    SELECT true AS made, ${jobColumns('m')} FROM made AS m
    UNION ALL
    SELECT false AS made, ${jobColumns('j')} FROM original AS j WHERE NOT EXISTS (SELECT FROM made)`
}

function valueOf(name: string): RawBuilder<unknown> {
  return name === 'expires_at'
    ? sql`CASE WHEN j.expires_at > clock.at THEN j.expires_at END`
    : sql.ref(`j.${name}`)
}
