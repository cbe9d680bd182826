import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { expireLease, makeDue, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { recoverBatchMax } from '../../src/domain/limits.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import {
  claim,
  deadLettersOfJob,
  enqueueProbes,
  historyOf,
  newWorker,
  rowOf,
  runningJob,
} from '../support/builders.ts'
import { closeGate, gatedBefore } from '../support/gate.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world
const finish = (job: ClaimedJob) => finishJobs(database, [{ lease: job.lease, resultText: null, note: null }])

async function ownerOf(job: ClaimedJob): Promise<string> {
  return (await rowOf(world, job.id)).locked_by as string
}

async function recoveredIds(): Promise<string[]> {
  return (await recoverJobs(database)).jobs.map((job) => job.id)
}

/** Claims jobs under a worker's name, and then removes the worker from the registry. */
async function claimAsStaleWorker(id: string, overrides: Parameters<typeof claim>[2] = {}): Promise<void> {
  await claim(world, await newWorker(world, { id }), overrides)
  await world.sql('DELETE FROM queue.workers WHERE id = $1', [id])
}

describe('a running job is taken over when its worker', () => {
  test('is not in the registry', async () => {
    const before = await enqueueProbes(world, 3)
    // Names that sort before, between and after those of the live workers.
    await newWorker(world, { id: 'm-alive' })
    await newWorker(world, { id: 't-alive' })
    for (const workerId of ['a-gone', 'p-gone', 'z-gone']) await claimAsStaleWorker(workerId, { limit: 1 })
    expect(new Set(await recoveredIds())).toEqual(new Set(before.map((job) => job.id)))
  })

  test('is not in the registry, and the registry is empty', async () => {
    const [job] = await enqueueProbes(world, 1)
    await claimAsStaleWorker('gone')
    expect(await recoveredIds()).toEqual([job?.id])
  })

  test('has an expired lease: it is marked lost in the same call, and its jobs are taken', async () => {
    const job = await runningJob(world)
    const workerId = await ownerOf(job)
    await expireLease(world, workerId)
    const recovery = await recoverJobs(database)
    expect(recovery).toMatchObject({
      lostWorkers: [workerId],
      jobs: [{ id: job.id, kind: 'probe', attempt: 1, workerId, status: 'retrying' }],
      anyExpired: false,
    })
    const [row] = await world.sql('SELECT state FROM queue.workers WHERE id = $1', [workerId])
    expect(row).toEqual({ state: 'lost' })
  })

  test('has stopped', async () => {
    const job = await runningJob(world)
    await stopWorker(database, await ownerOf(job))
    expect(await recoveredIds()).toEqual([job.id])
  })

  test('was lost already when its claim committed', async () => {
    const workerId = await newWorker(world)
    await enqueueProbes(world, 1)
    const slow = await world.session()
    await slow.query('BEGIN')
    const [job] = await claim({ database: within(slow) }, workerId)
    await expireLease(world, workerId)
    expect(await recoverJobs(database)).toEqual({ lostWorkers: [workerId], jobs: [], anyExpired: false })
    await slow.query('COMMIT')
    expect(await recoveredIds()).toEqual([job?.id])
  })
})

describe('a running job is left alone', () => {
  test('while its worker holds its lease, however long it has been running', async () => {
    const job = await runningJob(world)
    await world.sql(`UPDATE queue.jobs SET locked_at = now() - interval '10 days'`)
    expect(await recoverJobs(database)).toEqual({ lostWorkers: [], jobs: [], anyExpired: false })
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'running', crashes: 0 })
  })

  test('while other workers are lost', async () => {
    const recoverable = await runningJob(world)
    const heldJob = await runningJob(world)
    await expireLease(world, await ownerOf(heldJob))
    expect(await recoveredIds()).toEqual([heldJob.id])
    expect(await rowOf(world, recoverable.id)).toMatchObject({ status: 'running' })
  })
})

describe('the last attempt of a job whose worker is lost', () => {
  test('becomes a dead letter with its whole history, the last attempt included', async () => {
    const first = await runningJob(world, { maxAttempts: 2 })
    await stopWorker(database, await ownerOf(first))
    await recoverJobs(database)
    await makeDue(world)
    const lastWorker = await newWorker(world)
    await claim(world, lastWorker)
    await stopWorker(database, lastWorker)
    expect((await recoverJobs(database)).jobs).toMatchObject([{ id: first.id, status: 'failed_permanent' }])
    expect(await rowOf(world, first.id)).toMatchObject({
      status: 'failed_permanent',
      attempts: 2,
      crashes: 2,
      is_finished_at: true,
      is_locked_at: false,
      last_error: expect.stringContaining(lastWorker),
    })
    const [deadLetter] = await deadLettersOfJob(world, first.id)
    expect(deadLetter).toMatchObject({
      attempts: 2,
      lease_token: 2,
      last_error: expect.stringContaining(lastWorker),
    })
    expect(deadLetter?.execution_history).toMatchObject([
      { lease_token: 1, attempt: 1, outcome: 'lost' },
      { lease_token: 2, attempt: 2, outcome: 'lost', worker_id: lastWorker },
    ])
  })

  test('is never left in a state that breaks the next claim', async () => {
    const doomed = await runningJob(world, { maxAttempts: 1 })
    await stopWorker(database, await ownerOf(doomed))
    await recoverJobs(database)
    await makeDue(world)
    const [otherJob] = await enqueueProbes(world, 1)
    const claimed = await claim(world, await newWorker(world))
    expect(claimed.map((job) => job.id)).toEqual([otherJob?.id])
  })
})

describe('recovery that meets a finish in flight', () => {
  test('skips the row while it is locked, and does not revive the job after the commit', async () => {
    const job = await runningJob(world)
    await stopWorker(database, await ownerOf(job))
    const session = await world.session()
    await session.query('BEGIN')
    await finishJobs(within(session), [{ lease: job.lease, resultText: '"done"', note: null }])
    expect(await recoveredIds()).toEqual([])
    await session.query('COMMIT')
    expect(await recoveredIds()).toEqual([])
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', result: '"done"', crashes: 0 })
    expect(await historyOf(world, job.id)).toMatchObject([{ outcome: 'succeeded' }])
  })

  test('takes the row on the next run when the finish was rolled back', async () => {
    const job = await runningJob(world)
    await stopWorker(database, await ownerOf(job))
    const session = await world.session()
    await session.query('BEGIN')
    await finishJobs(within(session), [{ lease: job.lease, resultText: null, note: null }])
    expect(await recoveredIds()).toEqual([])
    await session.query('ROLLBACK')
    expect(await recoveredIds()).toEqual([job.id])
  })

  test("does not touch a job that was finished after the recovery's snapshot", async () => {
    const { job, recovering, goOn: openGate } = await startRecovery()
    await finish(job)
    await openGate()
    expect((await recovering).jobs).toEqual([])
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', crashes: 0 })
  })

  test('does not touch a job that was recovered since, and claimed by a worker that registered since', async () => {
    const { job, recovering, goOn: openGate } = await startRecovery()
    await recoverJobs(database)
    await makeDue(world)
    const newWorkerId = await newWorker(world)
    const [reclaimed] = await claim(world, newWorkerId)
    expect(reclaimed?.id).toBe(job.id)
    await openGate()
    expect((await recovering).jobs).toEqual([])
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'running',
      locked_by: newWorkerId,
      attempts: 2,
      crashes: 1,
      lease_token: 2,
    })
    expect(await finish(reclaimed as ClaimedJob)).toMatchObject([{ outcome: 'finished' }])
  })

  /** Starts a recovery of a job without a worker, and holds it after its snapshot and before its locks. */
  async function startRecovery() {
    const job = await runningJob(world)
    await stopWorker(database, await ownerOf(job))
    const gateHolder = await world.session()
    const openGate = await closeGate(gateHolder)
    const recovering = recoverJobs(gatedBefore(database, 'held'))
    await untilSomeoneWaitsFor(gateHolder, await world.session())
    return { job, recovering, goOn: openGate }
  }
})

test('concurrent recoveries take each job once', async () => {
  await enqueueProbes(world, 200)
  await claimAsStaleWorker('gone')
  const recoveries = await Promise.all([recoverJobs(database), recoverJobs(database), recoverJobs(database)])
  expect(recoveries.flatMap((recovery) => recovery.jobs)).toHaveLength(200)
  const rows = await world.sql('SELECT DISTINCT status::text, crashes FROM queue.all_jobs')
  expect(rows).toEqual([{ status: 'retrying', crashes: 1 }])
  const [history] = await world.sql('SELECT count(*)::int AS executions FROM queue.job_executions')
  expect(history).toEqual({ executions: 200 })
})

test('one call takes a bounded batch, and repeated calls take everything', async () => {
  await world.sql(
    `INSERT INTO queue.jobs (id, kind, payload, status, attempts, lease_token, locked_by, locked_at)
     SELECT gen_random_uuid(), 'probe', '{}', 'running', 1, 1, 'gone', now()
       FROM generate_series(1, $1::int)`,
    [recoverBatchMax + 20],
  )
  expect(await recoveredIds()).toHaveLength(recoverBatchMax)
  expect(await recoveredIds()).toHaveLength(20)
  expect(await recoveredIds()).toEqual([])
})

test('a counter of crashes stays at its maximum', async () => {
  const job = await runningJob(world)
  await world.sql('UPDATE queue.jobs SET crashes = 32767')
  await stopWorker(database, await ownerOf(job))
  await recoverJobs(database)
  expect(await rowOf(world, job.id)).toMatchObject({ status: 'retrying', crashes: 32_767 })
})
