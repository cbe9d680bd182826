import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { transactionSession } from '@queue/postgres'
import { smallestJobIdAt } from '../src/domain/job-id.ts'
import { pruneBatchMax } from '../src/domain/limits.ts'
import { databaseOn } from '../src/database/connect.ts'
import { finishJobs } from '../src/transitions/finish-jobs.ts'
import { running } from './support/builders.ts'
import { pruneJobs, type Retention } from '../src/transitions/prune-jobs.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const hour = 3_600_000
const forAnHour: Retention = { succeededMs: hour, cancelledMs: hour, failedMs: hour }

/** Ended jobs with a history and, where they failed, a dead letter; created an hour before they ended. */
async function plant(status: string, endedHoursAgo: number, count = 1): Promise<void> {
  await world.sql(
    `WITH planted AS (
       INSERT INTO queue.jobs (id, kind, payload, status, created_at, finished_at)
       SELECT (left($4, 24) || lpad(to_hex((random() * 1e14)::bigint), 12, '0'))::uuid, 'probe', '{}',
              $1::queue.job_status, now() - $2 * interval '1 hour' - interval '1 hour',
              CASE WHEN $1 IN ('succeeded', 'cancelled', 'failed_permanent') THEN now() - $2 * interval '1 hour' END
         FROM generate_series(1, $3::int)
       RETURNING id, status
     ), logged AS (
       INSERT INTO queue.job_logs (job_id, lease_token, line, attempt, at, level, message)
       SELECT id, 1, 1, 1, now(), 'info', 'm' FROM planted
     ), told AS (
       INSERT INTO queue.job_executions (job_id, lease_token, started_at, finished_at, attempt, worker_id, outcome)
       SELECT id, 1, now(), now(), 1, 'w', 'failed' FROM planted
     )
     INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
                                         crashes, queue, kind, payload, execution_history)
     SELECT id, 1, now(), now(), 1, 1, 4, 0, 'default', 'probe', '{}', '[]'
       FROM planted WHERE status = 'failed_permanent'`,
    [status, endedHoursAgo, count, smallestJobIdAt(Date.now() - (endedHoursAgo + 1) * hour)],
  )
}

async function left(): Promise<Record<string, number>> {
  const [row] = await world.sql<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM queue.jobs) AS jobs, (SELECT count(*)::int FROM queue.job_executions) AS history,
            (SELECT count(*)::int FROM queue.dead_letter_jobs) AS "deadLetters",
            (SELECT count(*)::int FROM queue.job_logs) AS lines`,
  )
  return row ?? {}
}

/** Calls until the walk has come to its end; the number of jobs that went, call by call. */
async function pruneAll(retention: Retention): Promise<number[]> {
  const calls: number[] = []
  let cursor: string | null = null
  do {
    const result: { pruned: number; cursor: string | null } = await pruneJobs(
      world.database,
      retention,
      cursor,
    )
    calls.push(result.pruned)
    cursor = result.cursor
  } while (cursor !== null)
  return calls
}

describe('retention', () => {
  test('removes what ended before its time, with history, log and dead letter, and nothing else', async () => {
    for (const status of ['succeeded', 'cancelled', 'failed_permanent']) {
      await plant(status, 2)
      await plant(status, 0.5)
    }
    expect(await pruneAll(forAnHour)).toEqual([3])
    expect(await left()).toEqual({ jobs: 3, history: 3, deadLetters: 1, lines: 3 })
  })

  test('never removes a job that has not ended, however old', async () => {
    for (const status of ['queued', 'retrying']) await plant(status, 1_000)
    expect(await pruneAll(forAnHour)).toEqual([0])
    expect(await left()).toMatchObject({ jobs: 2, history: 2 })
  })

  test('has a time for each end, and null keeps for ever', async () => {
    for (const status of ['succeeded', 'cancelled', 'failed_permanent']) await plant(status, 100)
    expect(await pruneAll({ succeededMs: null, cancelledMs: null, failedMs: null })).toEqual([0])
    expect(await pruneAll({ succeededMs: hour, cancelledMs: 1_000 * hour, failedMs: null })).toEqual([1])
    expect(await left()).toMatchObject({ jobs: 2, deadLetters: 1 })
  })

  test('walks in bounded steps, over what stays as over what goes, to the end', async () => {
    await plant('succeeded', 3, pruneBatchMax)
    await plant('queued', 3, pruneBatchMax)
    await plant('succeeded', 2, 10)
    const calls = await pruneAll(forAnHour)
    expect(calls.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...calls)).toBeLessThanOrEqual(pruneBatchMax)
    expect(await left()).toMatchObject({ jobs: pruneBatchMax })
  })

  test('passes over a row that somebody else has locked', async () => {
    await plant('succeeded', 2, 2)
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('SELECT FROM queue.jobs ORDER BY id LIMIT 1 FOR UPDATE')
    expect(await pruneAll(forAnHour)).toEqual([1])
    await session.query('ROLLBACK')
    expect(await pruneAll(forAnHour)).toEqual([1])
  })

  test('in flight keeps nobody from adding, claiming and finishing jobs', async () => {
    await plant('succeeded', 2, 10)
    const session = await world.session()
    await session.query('BEGIN')
    const inFlight = databaseOn(transactionSession(session), world.database.schema)
    expect(await pruneJobs(inFlight, forAnHour, null)).toMatchObject({ pruned: 10 })
    const job = await running(world)
    const finish = { lease: job.lease, resultText: null, note: null }
    expect(await finishJobs(world.database, [finish])).toMatchObject([{ outcome: 'finished' }])
    await session.query('COMMIT')
    expect(await left()).toMatchObject({ jobs: 1 })
  })

  test('does not take a job that has just been given a new life', async () => {
    await plant('failed_permanent', 2)
    const [job] = await world.sql<{ id: string }>('SELECT id FROM queue.jobs')
    await world.queue.requeue(job?.id ?? '')
    expect(await pruneAll(forAnHour)).toEqual([0])
    expect(await left()).toEqual({ jobs: 1, history: 1, deadLetters: 0, lines: 1 })
  })
})
