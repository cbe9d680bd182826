import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { transactionSession } from '@queue/postgres'
import { databaseOn } from '../../src/database/connect.ts'
import { smallestJobIdAt } from '../../src/domain/job-id.ts'
import { pruneBatchMax } from '../../src/domain/limits.ts'
import { createGroupedEnqueue } from '../../src/enqueue/grouped-enqueue.ts'
import type { Enqueued } from '../../src/transitions/enqueue-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { type PruneResult, type Retention, pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { asActDatabase, enqueueProbe, probe, runningJob } from '../support/builders.ts'
import { testScale } from '../support/scale.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const hour = 3_600_000
const keepForAnHour: Retention = { succeededMs: hour, cancelledMs: hour, failedMs: hour, keyMs: null }

/** Inserts jobs with a history and a log, created an hour before they ended; failed ones with a dead letter. */
async function insertJobs(status: string, endedHoursAgo: number, count = 1): Promise<void> {
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
     ), history AS (
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

async function countRows(): Promise<Record<string, number>> {
  const [row] = await world.sql<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM queue.all_jobs) AS jobs, (SELECT count(*)::int FROM queue.job_executions) AS history,
            (SELECT count(*)::int FROM queue.dead_letter_jobs) AS "deadLetters",
            (SELECT count(*)::int FROM queue.job_logs) AS lines`,
  )
  return row ?? {}
}

/** Prunes until the end of the scan; returns how many jobs each call removed. */
async function pruneAll(retention: Retention): Promise<number[]> {
  const prunedByCall: number[] = []
  let cursor: string | null = null
  do {
    const result: PruneResult = await pruneJobs(world.database, retention, cursor)
    prunedByCall.push(result.pruned)
    cursor = result.cursor
  } while (cursor !== null)
  return prunedByCall
}

describe('retention', () => {
  test('removes jobs past their retention, with history, log and dead letter, and nothing else', async () => {
    for (const status of ['succeeded', 'cancelled', 'failed_permanent']) {
      await insertJobs(status, 2)
      await insertJobs(status, 0.5)
    }
    expect(await pruneAll(keepForAnHour)).toEqual([3])
    expect(await countRows()).toEqual({ jobs: 3, history: 3, deadLetters: 1, lines: 3 })
  })

  test('never removes a job that has not ended, however old', async () => {
    for (const status of ['queued', 'retrying']) await insertJobs(status, 1_000)
    expect(await pruneAll(keepForAnHour)).toEqual([0])
    expect(await countRows()).toMatchObject({ jobs: 2, history: 2 })
  })

  test('has its own time for each terminal state, and null keeps jobs for ever', async () => {
    for (const status of ['succeeded', 'cancelled', 'failed_permanent']) await insertJobs(status, 100)
    expect(await pruneAll({ succeededMs: null, cancelledMs: null, failedMs: null, keyMs: null })).toEqual([0])
    expect(
      await pruneAll({ succeededMs: hour, cancelledMs: 1_000 * hour, failedMs: null, keyMs: null }),
    ).toEqual([1])
    expect(await countRows()).toMatchObject({ jobs: 2, deadLetters: 1 })
  })

  test('scans in bounded steps to the end, over jobs that stay and jobs that go', async () => {
    await insertJobs('succeeded', 3, pruneBatchMax)
    await insertJobs('queued', 3, pruneBatchMax)
    await insertJobs('succeeded', 2, 10)
    const prunedByCall = await pruneAll(keepForAnHour)
    expect(prunedByCall.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...prunedByCall)).toBeLessThanOrEqual(pruneBatchMax)
    expect(await countRows()).toMatchObject({ jobs: pruneBatchMax })
  })

  test('skips a row that another transaction has locked', async () => {
    await insertJobs('succeeded', 2, 2)
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('SELECT FROM queue.jobs ORDER BY id LIMIT 1 FOR UPDATE')
    expect(await pruneAll(keepForAnHour)).toEqual([1])
    await session.query('ROLLBACK')
    expect(await pruneAll(keepForAnHour)).toEqual([1])
  })

  test('in flight does not block enqueues, claims and finishes', async () => {
    await insertJobs('succeeded', 2, 10)
    const session = await world.session()
    await session.query('BEGIN')
    const inFlight = asActDatabase(databaseOn(transactionSession(session), world.database.schema))
    expect(await pruneJobs(inFlight, keepForAnHour, null)).toMatchObject({ pruned: 10 })
    const job = await runningJob(world)
    const finish = { lease: job.lease, resultText: null, note: null }
    expect(await finishJobs(world.database, [finish])).toMatchObject([{ outcome: 'finished' }])
    await session.query('COMMIT')
    expect(await countRows()).toMatchObject({ jobs: 1 })
  })

  test('does not remove a job that has just been requeued', async () => {
    await insertJobs('failed_permanent', 2)
    const [job] = await world.sql<{ id: string }>('SELECT id FROM queue.all_jobs')
    await world.queue.requeue(job?.id ?? '')
    expect(await pruneAll(keepForAnHour)).toEqual([0])
    expect(await countRows()).toEqual({ jobs: 1, history: 1, deadLetters: 0, lines: 1 })
  })
})

describe('a receipt', () => {
  const { queue, database } = world
  /** By any clock, jobs are past their retention, and keys are not. */
  const keepKeys: Retention = { succeededMs: -hour, cancelledMs: -hour, failedMs: -hour, keyMs: hour }
  const dropKeys: Retention = { ...keepKeys, keyMs: null }
  const keyed = { idempotencyKey: 'k', metadata: { order_id: 4711 }, tenantId: 'acme' }

  /** Dead-letters a job that has everything that a job can have. */
  async function deadLetterFullJob(): Promise<string> {
    const job = await runningJob(world, keyed)
    await world.sql(`UPDATE queue.jobs SET progress = 50, progress_message = 'half'`)
    await retryOrDeadLetterJobs(database, [{ lease: job.lease, error: 'e', waitMs: 0, permanent: true }])
    await world.sql(
      `INSERT INTO queue.job_logs (job_id, lease_token, line, attempt, at, level, message)
       SELECT id, 1, 1, 1, now(), 'info', 'm' FROM queue.all_jobs`,
    )
    return job.id
  }

  test('remains of a job with a key, without its payload, metadata and result', async () => {
    const id = await deadLetterFullJob()
    const before = await queue.get(id)
    expect(await pruneJobs(database, keepKeys, null)).toMatchObject({ pruned: 0, stripped: 1 })
    const { job, replayed, mismatched } = await queue.enqueue(probe, { n: 1 }, keyed)
    expect({ replayed, mismatched }).toEqual({ replayed: true, mismatched: true })
    const carried = { payload: null, metadata: null, lastError: null, progress: null, progressMessage: null }
    const now = { strippedAt: expect.any(Date), updatedAt: expect.any(Date) }
    expect(job).toEqual({ ...before, ...carried, ...now })
    expect(await queue.get(id)).toEqual(job)
    expect((await queue.list({ status: 'failed_permanent' })).jobs).toEqual([job])
    expect((await queue.list({ tenantId: 'acme', metadata: { order_id: 4711 } })).jobs).toEqual([])
    expect([await queue.executions(id), (await queue.logs(id))?.lines]).toEqual([[], []])
    expect(await countRows()).toEqual({ jobs: 1, history: 0, deadLetters: 0, lines: 0 })
  })

  test('is left alone until its time, and goes then', async () => {
    await enqueueProbe(world, keyed).then(({ id }) => queue.cancel(id))
    await pruneAll(keepKeys)
    const versions = () => world.sql('SELECT ctid, xmin FROM queue.jobs')
    const before = await versions()
    expect(await pruneJobs(database, keepKeys, null)).toMatchObject({ pruned: 0, stripped: 0 })
    expect(await versions()).toEqual(before)
    expect(await pruneJobs(database, { ...keepKeys, keyMs: 0 }, null)).toMatchObject({ pruned: 1 })
    expect(await queue.enqueue(probe, {}, keyed)).toMatchObject({ replayed: false })
  })

  test('does not remain of a job without a key, nor of the run of a schedule', async () => {
    const { id: run } = await enqueueProbe(world, keyed)
    await world.sql(`UPDATE queue.jobs SET idempotency_key = 'schedule:tick@2026-01-15T09:30:00.000Z'`)
    for (const id of [run, (await enqueueProbe(world)).id]) await queue.cancel(id)
    expect(await pruneJobs(database, keepKeys, null)).toMatchObject({ pruned: 2, stripped: 0 })
  })

  test('releases the unique key of its job', async () => {
    const unique = { key: 'u', scope: 'live', onConflict: 'refuse' } as const
    const { job } = await queue.enqueue(probe, {}, { idempotencyKey: 'k', unique })
    await queue.cancel(job.id)
    await pruneAll(keepKeys)
    expect(await world.sql('SELECT FROM queue.job_unique_slots')).toEqual([])
    expect(await queue.enqueue(probe, {}, { idempotencyKey: 'l', unique })).toMatchObject({ replayed: false })
  })

  test('cannot be requeued, and says why', async () => {
    const id = await deadLetterFullJob()
    await pruneAll(keepKeys)
    const refusal = { code: 'invalid_transition', status: 'failed_permanent' }
    await expect(queue.requeue(id)).rejects.toMatchObject(refusal)
    await expect(queue.requeue(id)).rejects.toThrow('retention has removed its payload')
    expect(await queue.deadLetters.requeueMany({}, { all: true })).toEqual([])
  })

  test('is not requeued by a dead letter that existed when the requeue began', async () => {
    const id = await deadLetterFullJob()
    const session = await world.session()
    await session.query('BEGIN')
    const inFlight = asActDatabase(databaseOn(transactionSession(session), world.database.schema))
    await pruneJobs(inFlight, keepKeys, null)
    const requeueing = queue.deadLetters.requeueMany({}, { all: true })
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    expect(await requeueing).toEqual([])
    expect(await queue.get(id)).toMatchObject({ status: 'failed_permanent', payload: null })
  })

  /**
   * At a scale of 50, 10 000 keys are enqueued during the prune that strips their jobs, and during the one that removes
   * the receipts.
   */
  const rounds = 8 * testScale
  const keys = Array.from({ length: 25 }, (_, index) => `k${index}`)

  test('a keyed enqueue beside the prune that strips its row: one job or one replay, never two', async () => {
    const [firstProcess, secondProcess] = [createGroupedEnqueue(queue), createGroupedEnqueue(queue)]
    const outcomes = { whole: 0, stripped: 0, replayed: 0, made: 0 }
    /** Enqueues each key in three processes: two that group their enqueues, and one that writes each by itself. */
    const enqueueAll = (): Promise<Enqueued[]> =>
      Promise.all(
        keys.flatMap((idempotencyKey) =>
          [firstProcess, secondProcess, queue].map((from) =>
            from.enqueue(probe, { n: 1 }, { idempotencyKey }),
          ),
        ),
      )
    /** Prunes so many round trips after the first enqueues were sent. */
    const pruneWhileEnqueueing = async (retention: Retention, roundTrips: number): Promise<Enqueued[]> => {
      const enqueuing = enqueueAll()
      for (let roundTrip = 0; roundTrip < roundTrips; roundTrip += 1) await world.sql('SELECT')
      await pruneJobs(database, retention, null)
      return enqueuing
    }
    for (let round = 0; round < rounds || Math.min(...Object.values(outcomes)) === 0; round += 1) {
      if (round === 100 * rounds) throw new Error(`void: ${JSON.stringify(outcomes)}`)
      await world.reset()
      const jobs = await queue.enqueueMany(
        keys.map((idempotencyKey) => probe.create({ n: 1 }, { idempotencyKey })),
      )
      for (const { job } of jobs) await queue.cancel(job.id)
      const ids = new Map(jobs.map(({ job }) => [job.idempotencyKey, job.id]))

      for (const { job, replayed, mismatched } of await pruneWhileEnqueueing(keepKeys, round % 4)) {
        expect({ id: job.id, replayed, mismatched }).toEqual({
          id: ids.get(job.idempotencyKey),
          replayed: true,
          mismatched: false,
        })
        outcomes[job.strippedAt === null ? 'whole' : 'stripped'] += 1
      }

      const created = (await pruneWhileEnqueueing(dropKeys, round % 4)).filter(({ replayed }) => !replayed)
      expect(new Set(created.map(({ job }) => job.idempotencyKey)).size).toBe(created.length)
      const rows = await world.sql<{ id: string }>('SELECT id FROM queue.all_jobs')
      expect(rows.map(({ id }) => id).toSorted()).toEqual(created.map(({ job }) => job.id).toSorted())
      outcomes.made += created.length
      outcomes.replayed += 3 * keys.length - created.length
    }
    process.stderr.write(`receipts: ${rounds * keys.length} keys, ${JSON.stringify(outcomes)}\n`)
  })
})
