import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { makeDue } from '@queue/dev-postgres'
import type { ClaimedJob, Lease } from '../../src/domain/job.ts'
import { recoveryJitterMsMax } from '../../src/domain/limits.ts'
import { cancelRunningJobs } from '../../src/transitions/cancel-running-jobs.ts'
import type { Completion } from '../../src/transitions/complete-attempts.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import {
  claim,
  deadLettersOfJob,
  enqueueProbe,
  historyOf,
  newWorker,
  rowOf,
  runningJob,
} from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const waitMs = 60_000
const { database } = world

/** Every write by the holder of a lease, as a call on one lease. */
const transitions = {
  succeed: (lease: Lease) => finishJobs(database, [{ lease, resultText: '{"a":1}', note: null }]),
  fail: (lease: Lease) =>
    retryOrDeadLetterJobs(database, [{ lease, error: 'boom', waitMs, permanent: false }]),
  deadLetter: (lease: Lease) =>
    retryOrDeadLetterJobs(database, [{ lease, error: 'boom', waitMs, permanent: true }]),
  snooze: (lease: Lease) => snoozeJobs(database, [{ lease, waitMs }]),
  release: (lease: Lease) => releaseJobs(database, [lease]),
  returnUnstarted: (lease: Lease) => returnUnstartedJobs(database, [lease]),
  cancelObserved: (lease: Lease) => cancelRunningJobs(database, [lease]),
} satisfies Record<string, (lease: Lease) => Promise<Completion[]>>

type Transition = keyof typeof transitions
const transitionNames = Object.keys(transitions) as Transition[]
const cancellable = transitionNames.filter((name) => name !== 'succeed')

async function complete(transition: Transition, job: ClaimedJob): Promise<Completion> {
  const [completion] = await transitions[transition](job.lease)
  if (completion === undefined) throw new Error('no completion')
  return completion
}

describe('claim: queued or retrying → running', () => {
  test('charges the attempt, raises the lease token, and writes who holds the job', async () => {
    const { id } = await enqueueProbe(world)
    const workerId = await newWorker(world)
    const [job] = await claim(world, workerId)
    expect(job).toMatchObject({
      id,
      attempt: 1,
      lease: { jobId: id, token: 1 },
      kind: 'probe',
      payload: { n: 0 },
    })
    expect(await rowOf(world, id)).toMatchObject({
      status: 'running',
      attempts: 1,
      lease_token: 1,
      locked_by: workerId,
      is_locked_at: true,
      is_finished_at: false,
    })
  })

  test('clears the progress of the previous attempt', async () => {
    const job = await runningJob(world)
    await world.sql(`UPDATE queue.jobs SET progress = 50, progress_message = 'half'`)
    await complete('fail', job)
    await makeDue(world)
    await claim(world, await newWorker(world))
    expect((await rowOf(world, job.id)).progress).toBeNull()
  })
})

describe('succeed: running → succeeded', () => {
  test('keeps the result, ends the job, frees it, and writes its history', async () => {
    const job = await runningJob(world)
    expect(await complete('succeed', job)).toEqual({
      lease: job.lease,
      outcome: 'finished',
      status: 'succeeded',
    })
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'succeeded',
      attempts: 1,
      lease_token: 1,
      result: '{"a": 1}',
      last_error: null,
      locked_by: null,
      is_locked_at: false,
      is_finished_at: true,
    })
    expect(await historyOf(world, job.id)).toMatchObject([
      { attempt: 1, lease_token: 1, outcome: 'succeeded', error: null, worker_id: expect.any(String) },
    ])
  })

  test('keeps the last error of an earlier attempt', async () => {
    const job = await runningJob(world)
    await complete('fail', job)
    await makeDue(world)
    const [reclaimed] = await claim(world, await newWorker(world))
    await complete('succeed', reclaimed as ClaimedJob)
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', attempts: 2, last_error: 'boom' })
  })

  test('is recorded as a success, also when a cancel was requested that the handler did not observe', async () => {
    const job = await runningJob(world)
    await world.queue.cancel(job.id)
    expect(await complete('succeed', job)).toMatchObject({ outcome: 'finished', status: 'succeeded' })
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', cancel_requested: true })
  })
})

describe('fail: running → retrying or failed_permanent', () => {
  test('an attempt that is not the last is retried, charged, with its error in the row and in the history', async () => {
    const job = await runningJob(world)
    expect(await complete('fail', job)).toMatchObject({ status: 'retrying' })
    const row = await rowOf(world, job.id)
    expect(row).toMatchObject({
      status: 'retrying',
      attempts: 1,
      last_error: 'boom',
      locked_by: null,
      is_locked_at: false,
      is_finished_at: false,
      crashes: 0,
    })
    expect(row.run_in_ms).toBeGreaterThan(waitMs - 10_000)
    expect(row.run_in_ms).toBeLessThanOrEqual(waitMs)
    expect(await historyOf(world, job.id)).toMatchObject([{ attempt: 1, outcome: 'failed', error: 'boom' }])
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
  })

  test('the last attempt becomes a dead letter in the same statement, with the attempt that dead-lettered it', async () => {
    const job = await runningJob(world, { maxAttempts: 2 })
    await complete('fail', job)
    await makeDue(world)
    const [last] = await claim(world, await newWorker(world))
    const before = await rowOf(world, job.id)
    expect(await complete('fail', last as ClaimedJob)).toMatchObject({ status: 'failed_permanent' })
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'failed_permanent',
      attempts: 2,
      is_finished_at: true,
      is_locked_at: false,
      run_at_text: before.run_at_text,
    })
    const [deadLetter, ...more] = await deadLettersOfJob(world, job.id)
    expect(more).toEqual([])
    expect(deadLetter).toMatchObject({ attempts: 2, lease_token: 2, last_error: 'boom' })
    expect(deadLetter?.execution_history).toMatchObject([
      { attempt: 1, lease_token: 1, outcome: 'failed', error: 'boom' },
      { attempt: 2, lease_token: 2, outcome: 'failed', error: 'boom', worker_id: expect.any(String) },
    ])
  })

  test('a permanent failure is dead-lettered on its first attempt', async () => {
    const job = await runningJob(world)
    expect(await complete('deadLetter', job)).toMatchObject({ status: 'failed_permanent' })
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'failed_permanent', attempts: 1 })
    expect(await deadLettersOfJob(world, job.id)).toHaveLength(1)
  })

  test('a dead letter can be written for the barest job and for the fullest', async () => {
    const bare = await runningJob(world)
    const fullJob = await runningJob(world, {
      tenantId: 'acme',
      idempotencyKey: 'key',
      traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      timeoutMs: 500,
      priority: 0,
      retryPolicy: { type: 'fixed', baseMs: 5 },
    })
    await complete('deadLetter', bare)
    await complete('deadLetter', fullJob)
    expect(await deadLettersOfJob(world, bare.id)).toHaveLength(1)
    const [deadLetter] = await world.sql(
      `SELECT queue, kind, tenant_id, idempotency_key, trace_context, timeout_ms, priority, payload, retry_policy
         FROM queue.dead_letter_jobs WHERE job_id = $1`,
      [fullJob.id],
    )
    expect(deadLetter).toEqual({
      queue: 'default',
      kind: 'probe',
      tenant_id: 'acme',
      idempotency_key: 'key',
      trace_context: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      timeout_ms: 500,
      priority: 0,
      payload: { n: 0 },
      retry_policy: { type: 'fixed', base_ms: 5 },
    })
  })

  test('a second dead letter of the same job replaces the first', async () => {
    const job = await runningJob(world)
    await complete('deadLetter', job)
    // A dead letter that remained after its job's requeue, such as an older release could leave.
    await world.sql(`UPDATE queue.jobs SET status = 'queued', attempts = 0, finished_at = NULL`)
    const [reclaimed] = await claim(world, await newWorker(world))
    await retryOrDeadLetterJobs(database, [
      { lease: (reclaimed as ClaimedJob).lease, error: 'worse', waitMs: 0, permanent: true },
    ])
    expect(await deadLettersOfJob(world, job.id)).toMatchObject([{ lease_token: 2, last_error: 'worse' }])
  })
})

describe('snooze, release, return unstarted: the attempt is not charged', () => {
  test('snooze: → retrying, after the requested wait', async () => {
    const job = await runningJob(world)
    expect(await complete('snooze', job)).toMatchObject({ status: 'retrying' })
    const row = await rowOf(world, job.id)
    expect(row).toMatchObject({ status: 'retrying', attempts: 0, lease_token: 1, is_locked_at: false })
    expect(row.run_in_ms).toBeGreaterThan(waitMs - 10_000)
    expect(row.run_in_ms).toBeLessThanOrEqual(waitMs)
    expect(await historyOf(world, job.id)).toMatchObject([{ attempt: 1, outcome: 'snoozed', error: null }])
  })

  test('release: → retrying at once, also from the last attempt: a deploy never fails a job', async () => {
    const job = await runningJob(world, { maxAttempts: 1 })
    expect(await complete('release', job)).toMatchObject({ status: 'retrying' })
    const row = await rowOf(world, job.id)
    expect(row).toMatchObject({ status: 'retrying', attempts: 0, lease_token: 1 })
    expect(row.run_in_ms).toBeLessThanOrEqual(0)
    expect(row.run_in_ms).toBeGreaterThan(-10_000)
    expect(await historyOf(world, job.id)).toMatchObject([{ attempt: 1, outcome: 'released' }])
  })

  test('return of a first attempt: → queued as if it had not been claimed, without history', async () => {
    const { id } = await enqueueProbe(world)
    const before = await rowOf(world, id)
    const [job] = await claim(world, await newWorker(world))
    expect(await complete('returnUnstarted', job as ClaimedJob)).toMatchObject({ status: 'queued' })
    expect(await rowOf(world, id)).toMatchObject({ ...before, run_in_ms: expect.any(Number), lease_token: 1 })
    expect(await historyOf(world, id)).toEqual([])
  })

  test('return of a later attempt: → retrying, its due time kept', async () => {
    const first = await runningJob(world)
    await complete('fail', first)
    await makeDue(world)
    const before = await rowOf(world, first.id)
    const [second] = await claim(world, await newWorker(world))
    expect(await complete('returnUnstarted', second as ClaimedJob)).toMatchObject({ status: 'retrying' })
    expect(await rowOf(world, first.id)).toMatchObject({
      status: 'retrying',
      attempts: 1,
      lease_token: 2,
      run_at_text: before.run_at_text,
    })
    expect(await historyOf(world, first.id)).toHaveLength(1)
  })
})

describe('cancel observed: running → cancelled', () => {
  test('ends the job, charged as it was, with its history', async () => {
    const job = await runningJob(world)
    await world.queue.cancel(job.id)
    expect(await complete('cancelObserved', job)).toMatchObject({ status: 'cancelled' })
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'cancelled',
      attempts: 1,
      is_finished_at: true,
      is_locked_at: false,
    })
    expect(await historyOf(world, job.id)).toMatchObject([{ attempt: 1, outcome: 'cancelled' }])
  })
})

describe('a requested cancel wins over every other end but success', () => {
  test.each(cancellable)('%s of a job whose cancel was requested ends it cancelled', async (transition) => {
    const job = await runningJob(world, { maxAttempts: 1 })
    await world.queue.cancel(job.id)
    expect(await complete(transition, job)).toMatchObject({ outcome: 'finished', status: 'cancelled' })
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'cancelled',
      is_finished_at: true,
      is_locked_at: false,
    })
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
    const outcomes = (await historyOf(world, job.id)).map((execution) => execution.outcome)
    expect(outcomes).toEqual(transition === 'returnUnstarted' ? [] : ['cancelled'])
  })

  test('the loss of its worker too', async () => {
    const job = await runningJob(world, { maxAttempts: 1 })
    await world.queue.cancel(job.id)
    await stopWorker(database, (await rowOf(world, job.id)).locked_by as string)
    expect((await recoverJobs(database)).jobs).toMatchObject([{ id: job.id, status: 'cancelled' }])
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'cancelled',
      crashes: 1,
      is_finished_at: true,
    })
    expect(await historyOf(world, job.id)).toMatchObject([{ outcome: 'cancelled' }])
    expect(await deadLettersOfJob(world, job.id)).toEqual([])
  })
})

describe('lost: as a failure, and counted as a crash', () => {
  test('comes back after a wait inside the jitter, charged', async () => {
    const job = await runningJob(world)
    const workerId = (await rowOf(world, job.id)).locked_by as string
    await stopWorker(database, workerId)
    expect((await recoverJobs(database)).jobs).toMatchObject([
      {
        id: job.id,
        kind: 'probe',
        queue: 'default',
        tenantId: null,
        workerId,
        status: 'retrying',
        attempt: 1,
      },
    ])
    const row = await rowOf(world, job.id)
    expect(row).toMatchObject({
      status: 'retrying',
      attempts: 1,
      crashes: 1,
      is_locked_at: false,
      lease_token: 1,
    })
    expect(row.run_in_ms).toBeGreaterThan(-10_000)
    expect(row.run_in_ms).toBeLessThanOrEqual(recoveryJitterMsMax)
    expect(row.last_error).toContain(workerId)
    expect(await historyOf(world, job.id)).toMatchObject([
      { attempt: 1, outcome: 'lost', worker_id: workerId, error: row.last_error },
    ])
  })
})

describe('history', () => {
  /** A running job of which 104 attempts have ended. */
  async function jobInItsAttempt105(maxAttempts: number): Promise<ClaimedJob> {
    const job = await runningJob(world, { maxAttempts })
    await world.sql(`UPDATE queue.jobs SET lease_token = 105`)
    await world.sql(
      `INSERT INTO queue.job_executions (job_id, lease_token, started_at, finished_at, attempt, worker_id, outcome)
       SELECT $1, token, now(), now(), 1, 'w', 'snoozed' FROM generate_series(1, 104) AS token`,
      [job.id],
    )
    return { ...job, lease: { jobId: job.id, token: 105 } }
  }

  test('is kept for the last 100 attempts of a job', async () => {
    const job = await jobInItsAttempt105(100)
    await complete('snooze', job)
    const tokens = (await historyOf(world, job.id)).map((execution) => execution.lease_token)
    expect(tokens).toEqual(Array.from({ length: 100 }, (_, index) => index + 6))
  })

  test('in a dead letter is that of the last 100 attempts too', async () => {
    const job = await jobInItsAttempt105(1)
    await complete('fail', job)
    const [letter] = await world.sql<{ tokens: number[] }>(
      `SELECT ARRAY(SELECT (e ->> 'lease_token')::int FROM jsonb_array_elements(execution_history) AS e) AS tokens
         FROM queue.dead_letter_jobs`,
    )
    expect(letter?.tokens).toEqual((await historyOf(world, job.id)).map((execution) => execution.lease_token))
    expect(letter?.tokens).toHaveLength(100)
  })

  test('keeps up to 100 attempts, however often the job was returned in between', async () => {
    const job = await runningJob(world)
    await complete('fail', job)
    await makeDue(world)
    const workerId = await newWorker(world)
    const claimAgain = async (): Promise<ClaimedJob> => {
      const [reclaimed] = await claim(world, workerId)
      if (reclaimed === undefined) throw new Error('the job was not claimed')
      return reclaimed
    }
    for (let n = 0; n < 100; n += 1) await complete('returnUnstarted', await claimAgain())
    const last = await claimAgain()
    expect(last).toMatchObject({ attempt: 2, lease: { token: 102 } })
    await complete('succeed', last)
    expect(await historyOf(world, job.id)).toMatchObject([
      { lease_token: 1, outcome: 'failed' },
      { lease_token: 102, outcome: 'succeeded' },
    ])
  })

  test('of one job never loses a row to the trimming of another', async () => {
    const old = await runningJob(world)
    const young = await runningJob(world)
    await complete('fail', young)
    await world.sql(`UPDATE queue.jobs SET lease_token = 500 WHERE id = $1`, [old.id])
    await complete('snooze', { ...old, lease: { jobId: old.id, token: 500 } })
    expect(await historyOf(world, young.id)).toHaveLength(1)
  })
})
