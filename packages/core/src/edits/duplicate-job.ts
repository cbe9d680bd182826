// (a job) → another one, queued. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { MintIds } from '../database/id-mint.ts'
import { insertedMetadata } from '../database/metadata-rows.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { enqueuedColumns } from '../database/tables.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { isReceipt } from '../transitions/requeue-job.ts'

/** What is the other job's own: its id, its time, the keys that it was found by or held, and the trace that made it. */
const ownColumns: readonly string[] = [
  'id',
  'run_at',
  'idempotency_key',
  'idempotency_fingerprint',
  'unique_key',
  'unique_scope',
  'trace_context',
]

/**
 * Enqueues another job with the same work and options, due now: without its idempotency key, without its unique key, which has one
 * holder, and without its expiry where that is past. Throws `job_not_found`, or `InvalidTransition` where the retention has removed
 * its payload.
 */
export async function duplicateJob(database: QueueDatabase, id: string, mintIds: MintIds): Promise<Job> {
  const { names } = database
  const [newId] = await mintIds(database, 1)
  const copied = enqueuedColumns.filter((name) => !ownColumns.includes(name))
  const [row] = await database.run(sql<JobRow & { made: boolean }>`
    WITH original AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')}
    ), made AS (
      INSERT INTO ${names.jobs} AS n (id, ${sql.join(copied.map((name) => sql.id(name)))})
      SELECT ${newId}::uuid, ${sql.join(copied.map(valueOf))}
        FROM original AS j WHERE j.stripped_at IS NULL
      RETURNING n.*
    ), ${insertedMetadata(names, 'made')}, ${writeWaitingEvents(names, 'made')}
    SELECT true AS made, ${jobColumns('m')} FROM made AS m
    UNION ALL
    SELECT false AS made, ${jobColumns('j')} FROM original AS j WHERE NOT EXISTS (SELECT FROM made)`)
  if (row === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  if (!row.made) throw isReceipt(row, 'duplicated')
  return decodeJob(row)
}

function valueOf(name: string): RawBuilder<unknown> {
  return name === 'expires_at'
    ? sql`CASE WHEN j.expires_at > now() THEN j.expires_at END`
    : sql.ref(`j.${name}`)
}
