// Enqueues one job of a schedule now. Its instants stay as they are. Called by every caller who may control schedules.
import { sql } from 'kysely'
import { z } from 'zod'
import type { ActDatabase } from '../audit/perform.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { MintIds } from '../database/id-mint.ts'
import { QueueError, UniqueConflict } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { FullQueues } from '../flow/full-queues.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'
import { enqueueWithin } from '../transitions/enqueue-keyed.ts'
import { jobOf } from './job-of-schedule.ts'
import { lockSchedule } from './read-schedules.ts'
import { decodeSchedule, noTenant, scheduleTables } from './schedule-row.ts'

const optionFields = {
  /** Repeated calls with one key enqueue one job. */
  idempotencyKey: jobFields.callersKey.optional(),
}
const optionsSchema = z.strictObject(optionFields)

export type RunNowOptions = OptionsOf<typeof optionFields>

/** How long another open transaction may hold the key. */
const keyLockTimeoutMs = 2_000

/**
 * Enqueues a job of the schedule, paused or not. Throws `schedule_not_found`; `schedule_overlaps` where the schedule
 * may not overlap and its last job has not ended; `UniqueConflict` where another job holds the unique key and its jobs
 * are refused then; and `QueueFull`.
 */
export function runScheduleNow(
  database: ActDatabase,
  name: string,
  { mintIds, full, ...options }: RunNowOptions & { readonly mintIds: MintIds; readonly full: FullQueues },
): Promise<Enqueued> {
  const { idempotencyKey = null } = parseOrThrow(optionsSchema, options, 'invalid_schedule')
  return database.transaction(async (inside) => {
    const schedule = decodeSchedule(await lockSchedule(inside, name))
    const [id] = await mintIds(inside, 1)
    const request = { ...jobOf(schedule, idempotencyKey), id: id as string }
    const [enqueued] = await enqueueWithin(inside, [request], { lockTimeoutMs: keyLockTimeoutMs })
    if (enqueued === undefined) throw new Error('an enqueue of one job returned nothing')
    const { conflict, job, replayed } = enqueued
    if (replayed) return enqueued
    // A repeat gets its job, ended or not. What was enqueued is taken back with the transaction.
    if (schedule.overlap === 'skip') await assertEnded(inside, schedule.lastJobId)
    if (conflict === 'refused') throw new UniqueConflict([{ index: 0, jobId: job.id }])
    if (conflict !== undefined) return enqueued
    full.assertRoom([job])
    await storeLastJob(inside, name, job.id)
    return enqueued
  })
}

async function assertEnded({ names, run }: QueueDatabase, jobId: string | null): Promise<void> {
  if (jobId === null) return
  const live = await run(sql`
    SELECT FROM ${names.jobs} AS j WHERE j.id = ${jobId}::uuid AND j.finished_at IS NULL`)
  if (live.length === 0) return
  throw new QueueError(
    'schedule_overlaps',
    `job ${jobId} of this schedule has not ended, and its jobs may not overlap: wait for it to end`,
  )
}

async function storeLastJob(database: QueueDatabase, name: string, jobId: string): Promise<void> {
  await database.run(sql`
    UPDATE ${scheduleTables(database).schedules} AS s SET last_job_id = ${jobId}::uuid
     WHERE s.tenant_id = ${noTenant} AND s.name = ${name}`)
}
