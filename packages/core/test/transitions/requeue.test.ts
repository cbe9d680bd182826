import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { QueueDatabase } from '../../src/database/connect.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { listPageBytesMax, listScanRowsMax, payloadBytesMax } from '../../src/domain/limits.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import {
  claim,
  deadLettersOfJob,
  enqueueProbe,
  historyOf,
  newWorker,
  probe,
  rowOf,
  runningJob,
} from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue, database } = world

async function deadLetterJob(job: ClaimedJob, target: QueueDatabase = database): Promise<void> {
  await retryOrDeadLetterJobs(target, [{ lease: job.lease, error: 'boom', waitMs: 0, permanent: true }])
}

async function runAndDeadLetter(): Promise<ClaimedJob> {
  const job = await runningJob(world, { idempotencyKey: 'k', tenantId: 'acme', weight: 3 })
  await deadLetterJob(job)
  return job
}

async function deadLetterIdOf(jobId: string): Promise<string> {
  const [row] = await world.sql<{ id: string }>('SELECT id FROM queue.dead_letter_jobs WHERE job_id = $1', [
    jobId,
  ])
  if (row === undefined) throw new Error('there is no dead letter')
  return row.id
}

describe('requeue: failed_permanent or cancelled → queued', () => {
  test('gives the job a new life, and keeps its lease token, its crashes and its history', async () => {
    const job = await runAndDeadLetter()
    await world.sql('UPDATE queue.jobs SET crashes = 2, progress = 50')
    const requeued = await queue.requeue(job.id)
    expect(await queue.get(job.id)).toEqual(requeued)
    expect(requeued).toMatchObject({
      status: 'queued',
      attempts: 0,
      crashes: 2,
      result: null,
      finishedAt: null,
      progress: null,
    })
    expect(await rowOf(world, job.id)).toMatchObject({
      lease_token: 1,
      cancel_requested: false,
      last_error: 'boom',
    })
    expect(await historyOf(world, job.id)).toHaveLength(1)
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
    const [reclaimed] = await claim(world, await newWorker(world))
    expect(reclaimed).toMatchObject({ id: job.id, attempt: 1, lease: { token: 2 } })
    expect(await finishJobs(database, [{ lease: job.lease, resultText: null, note: null }])).toMatchObject([
      { outcome: 'lease_lost' },
    ])
  })

  test('clears the cancel of a cancelled job', async () => {
    const job = await enqueueProbe(world, { delayMs: 60_000 })
    await queue.cancel(job.id)
    expect(await queue.requeue(job.id)).toMatchObject({ status: 'queued', cancelRequested: false })
    expect((await rowOf(world, job.id)).run_in_ms).toBeLessThanOrEqual(0)
  })

  test('of a job in any other state is an InvalidTransition, and changes nothing', async () => {
    const waiting = await enqueueProbe(world)
    const job = await runningJob(world)
    await expect(queue.requeue(job.id)).rejects.toMatchObject({
      code: 'invalid_transition',
      status: 'running',
    })
    await finishJobs(database, [{ lease: job.lease, resultText: '1', note: null }])
    await expect(queue.requeue(job.id)).rejects.toMatchObject({
      name: 'InvalidTransition',
      status: 'succeeded',
    })
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', result: '1' })
    expect((await rowOf(world, waiting.id)).status).toBe('running')
  })

  test('that waits for a dead-lettering in flight leaves no dead letter', async () => {
    const job = await runningJob(world)
    const session = await world.session()
    await session.query('BEGIN')
    await deadLetterJob(job, within(session))
    const requeueing = queue.requeue(job.id)
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    expect(await requeueing).toMatchObject({ status: 'queued' })
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
  })

  test('twice at once happens once', async () => {
    const job = await runAndDeadLetter()
    const results = await Promise.allSettled([queue.requeue(job.id), queue.requeue(job.id)])
    expect(new Set(results.map((one) => one.status))).toEqual(new Set(['fulfilled', 'rejected']))
  })
})

describe('requeue by the dead letter', () => {
  test('does the same as a requeue by the job', async () => {
    const job = await runAndDeadLetter()
    const requeued = await queue.deadLetters.requeue(await deadLetterIdOf(job.id))
    expect(requeued).toMatchObject({ id: job.id, status: 'queued', attempts: 0 })
    expect(await queue.get(job.id)).toEqual(requeued)
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
  })

  test('inserts a pruned job again, with its id and a higher lease token', async () => {
    const job = await runAndDeadLetter()
    await world.sql('DELETE FROM queue.jobs')
    const requeued = await queue.deadLetters.requeue(await deadLetterIdOf(job.id))
    expect(requeued).toMatchObject({
      id: job.id,
      status: 'queued',
      idempotencyKey: 'k',
      tenantId: 'acme',
      weight: 3,
      payload: { n: 0 },
    })
    expect(await rowOf(world, job.id)).toMatchObject({ lease_token: 2, attempts: 0 })
  })

  test('leaves the idempotency key to the job that has used it meanwhile', async () => {
    const job = await runAndDeadLetter()
    await world.sql('DELETE FROM queue.jobs')
    const { job: heir } = await queue.enqueue(probe, {}, { idempotencyKey: 'k', tenantId: 'acme' })
    const requeued = await queue.deadLetters.requeue(await deadLetterIdOf(job.id))
    expect(requeued).toMatchObject({ id: job.id, idempotencyKey: null })
    expect((await queue.get(heir.id))?.idempotencyKey).toBe('k')
  })

  test('that waits for a requeue and a second dead-lettering in flight takes neither the job nor the new dead letter', async () => {
    const job = await runAndDeadLetter()
    const deadLetterId = await deadLetterIdOf(job.id)
    const session = await world.session()
    await session.query('BEGIN')
    await session.query(`UPDATE queue.jobs SET status = 'queued', attempts = 0, finished_at = NULL`)
    await session.query('DELETE FROM queue.dead_letter_jobs')
    const [reclaimed] = await claim({ database: within(session) }, await newWorker(world))
    await deadLetterJob(reclaimed as ClaimedJob, within(session))
    const refused = expect(queue.deadLetters.requeue(deadLetterId)).rejects.toMatchObject({
      code: 'dead_letter_not_found',
    })
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    await refused
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'failed_permanent' })
    expect(await deadLettersOfJob(world, job.id)).toMatchObject([{ lease_token: 2 }])
  })

  test('of an unknown dead letter is dead_letter_not_found', async () => {
    for (const id of ['01900000-0000-7000-8000-000000000000', 'x', '']) {
      await expect(queue.deadLetters.requeue(id)).rejects.toMatchObject({ code: 'dead_letter_not_found' })
      await expect(queue.deadLetters.delete(id)).rejects.toMatchObject({ code: 'dead_letter_not_found' })
      expect(await queue.deadLetters.get(id)).toBeUndefined()
    }
  })

  test('of many requeues the selected ones, and the dry run counts the same', async () => {
    const ownJob = await runAndDeadLetter()
    const otherJob = await runningJob(world, { queue: 'default' })
    await deadLetterJob(otherJob)
    const selection = { tenantId: 'acme' }
    expect(await queue.deadLetters.count(selection)).toBe(1)
    expect((await queue.deadLetters.requeueMany(selection)).map((job) => job.id)).toEqual([ownJob.id])
    expect(await queue.deadLetters.count()).toBe(1)
  })
})

describe('dead letters', () => {
  test('are listed from the latest to the oldest, page by page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const job = await runningJob(world)
      await deadLetterJob(job)
      ids.unshift(job.id)
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await queue.deadLetters.list({ limit: 2, ...(cursor === null ? {} : { cursor }) })
      seen.push(...page.deadLetters.map((deadLetter) => deadLetter.jobId))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(seen).toEqual(ids)
  })

  test('come in pages of a bounded size when their payloads and histories are large', async () => {
    const count = 12
    await world.sql(
      `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
         crashes, queue, kind, payload, execution_history)
       SELECT gen_random_uuid(), 1, now(), now(), 1, 1, 4, 0, 'default', 'probe',
              jsonb_build_object('text', repeat('x', $2 / 2)), jsonb_build_array(repeat('y', $2 / 2))
         FROM generate_series(1, $1::int)`,
      [count, payloadBytesMax],
    )
    const pages: number[] = []
    const seen = new Set<string>()
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await queue.deadLetters.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) })
      pages.push(page.deadLetters.length)
      for (const deadLetter of page.deadLetters) seen.add(deadLetter.id)
      cursor = page.nextCursor
    }
    const perPage = listPageBytesMax / payloadBytesMax
    expect(pages).toEqual(Array.from({ length: count / perPage }, () => perPage))
    expect(seen.size).toBe(count)
  })

  test('are read in bounded numbers, and found however old they are', async () => {
    await world.sql(
      `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
         crashes, queue, kind, payload, execution_history)
       SELECT gen_random_uuid(), 1, now(), now() + (n % 7 - 8) * interval '1 s', 1, 1, 4, 0,
              CASE WHEN n % 9000 = 0 THEN 'rare' ELSE 'default' END, 'probe', '{}', '[]'
         FROM generate_series(1, $1::int) AS n`,
      [2 * listScanRowsMax + 100],
    )
    const pages: number[] = []
    const seen = new Set<string>()
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await queue.deadLetters.list({
        queue: 'rare',
        ...(cursor === undefined ? {} : { cursor }),
      })
      pages.push(page.deadLetters.length)
      for (const deadLetter of page.deadLetters) seen.add(deadLetter.id)
      cursor = page.nextCursor
    }
    expect(pages).toHaveLength(3)
    expect(seen.size).toBe(2)
    expect(await queue.deadLetters.list({ queue: 'none', deadLetteredAfter: new Date() })).toEqual({
      deadLetters: [],
      nextCursor: null,
    })
  })

  test('can be removed, and their jobs stay failed', async () => {
    const job = await runAndDeadLetter()
    await queue.deadLetters.delete(await deadLetterIdOf(job.id))
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'failed_permanent' })
  })

  test('are selected by any instant that a Date can hold', async () => {
    await runAndDeadLetter()
    const first = new Date(-8.64e15)
    const last = new Date(8.64e15)
    expect(
      (await queue.deadLetters.list({ deadLetteredAfter: first, deadLetteredBefore: last })).deadLetters,
    ).toHaveLength(1)
    expect((await queue.deadLetters.list({ deadLetteredAfter: last })).deadLetters).toEqual([])
    expect((await queue.deadLetters.list({ deadLetteredBefore: first })).deadLetters).toEqual([])
  })

  test('refuse a cursor that no list has returned', async () => {
    const forged = [
      '',
      'x',
      '2026-02-30T00:00:00.000000Z 01900000-0000-7000-8000-000000000000',
      '9999-99-99T99:99:99.000000Z 01900000-0000-7000-8000-000000000000',
      '0000-01-01T00:00:00.000000Z 01900000-0000-7000-8000-000000000000',
    ]
    for (const text of forged) {
      const cursor = Buffer.from(`dead_letters ${text}`).toString('base64url')
      await expect(queue.deadLetters.list({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor' })
    }
  })
})
