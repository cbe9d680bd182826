// queued | retrying stay so, due now. An operator's act.
import { sql } from 'kysely'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, updatedAt } from '../database/instant.ts'
import { expiresBy } from '../database/job-expiry.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { InvalidTransition, QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { archivedJob } from '../reads/get-job.ts'

/**
 * Makes a waiting job due now; one that is due already stays as it is. Throws `job_not_found`, or `InvalidTransition` in other states and where the expiry of
 * the job is past. The locked row decides, and is the one that the error describes.
 */
export async function runJobNow(database: QueueDatabase, id: string): Promise<Acted<Job>> {
  const { names } = database
  const isWaiting = sql`target.status IN (${names.status.queued}, ${names.status.retrying})`
  const hasExpired = expiresBy(names, 'target', sql`clock.at`)
  const [row] = await database.run(sql<JobRow & { changed: boolean; due: boolean; expired: boolean }>`
    WITH target AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')} FOR UPDATE
    ), ${clockAfter('target')}, changed AS (
      UPDATE ${names.jobs} AS j SET run_at = clock.at, updated_at = ${updatedAt(sql`clock.at`)}
        FROM target CROSS JOIN clock
       WHERE j.id = target.id AND ${isWaiting} AND NOT ${hasExpired} AND target.run_at > clock.at
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}
    SELECT true AS changed, true AS due, false AS expired, ${jobColumns('c')} FROM changed AS c
    UNION ALL
    SELECT false AS changed, ${isWaiting} AND NOT ${hasExpired} AS due, ${hasExpired} AS expired, ${jobColumns('target')} FROM target CROSS JOIN clock
     WHERE NOT EXISTS (SELECT FROM changed)`)
  if (row === undefined) throw await notRunnable(database, id)
  if (row.due) return { result: decodeJob(row), changed: row.changed }
  throw new InvalidTransition({
    jobId: id,
    status: row.status,
    verb: 'run now',
    reason: row.expired ? 'its expiry is past, so it never starts' : doesNotWait,
  })
}

const doesNotWait = 'only a waiting job can be run'

async function notRunnable(database: QueueDatabase, id: string): Promise<QueueError> {
  const job = await archivedJob(database, id)
  return job === undefined
    ? new QueueError('job_not_found', `there is no job ${id}`)
    : new InvalidTransition({ jobId: id, status: job.status, verb: 'run now', reason: doesNotWait })
}
