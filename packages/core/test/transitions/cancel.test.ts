import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { requeueJob } from '../../src/transitions/requeue-job.ts'
import {
  asActDatabase,
  claim,
  enqueueProbe,
  historyOf,
  newWorker,
  rowOf,
  runningJob,
} from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

describe('cancel', () => {
  test('of a waiting job ends it at once, without an attempt in its history', async () => {
    const waitingJob = await enqueueProbe(world, { delayMs: 60_000 })
    const retrying = await runningJob(world)
    await releaseJobs(world.database, [retrying.lease])
    for (const id of [waitingJob.id, retrying.id]) {
      const result = await queue.cancel(id)
      expect(result).toMatchObject({
        outcome: 'cancelled',
        job: { status: 'cancelled', cancelRequested: true },
      })
      expect(result.job.finishedAt).not.toBeNull()
      expect(await queue.get(id)).toEqual(result.job)
    }
    expect(await historyOf(world, waitingJob.id)).toEqual([])
    expect(await claim(world, await newWorker(world))).toEqual([])
  })

  test('of a running job is a request, which leaves the job with its worker', async () => {
    const job = await runningJob(world)
    const before = await rowOf(world, job.id)
    expect(await queue.cancel(job.id)).toMatchObject({ outcome: 'requested', job: { status: 'running' } })
    expect(await rowOf(world, job.id)).toEqual({
      ...before,
      cancel_requested: true,
      run_in_ms: expect.any(Number),
    })
    expect(await queue.cancel(job.id)).toMatchObject({ outcome: 'requested' })
  })

  test('of an ended job changes nothing and returns its state', async () => {
    const job = await runningJob(world)
    await finishJobs(world.database, [{ lease: job.lease, resultText: '1', note: null }])
    const succeeded = await queue.get(job.id)
    expect(await queue.cancel(job.id)).toEqual({ outcome: 'already_terminal', job: succeeded })
    expect(await queue.get(job.id)).toEqual(succeeded)
  })

  test('of an unknown id, or of text that is not an id, is job_not_found, and so is a requeue', async () => {
    for (const id of ['01900000-0000-7000-8000-000000000000', 'x', '', "' OR true --", 'a'.repeat(10_000)]) {
      await expect(queue.cancel(id)).rejects.toMatchObject({ code: 'job_not_found' })
      await expect(queue.requeue(id)).rejects.toMatchObject({ code: 'job_not_found' })
      expect(await queue.get(id)).toBeUndefined()
      expect(await queue.executions(id)).toBeUndefined()
    }
  })

  test('notifies the workers of a running job, and of no other', async () => {
    const listener = await world.session()
    const payloads: (string | undefined)[] = []
    listener.on('notification', ({ payload }) => payloads.push(payload))
    await listener.query('LISTEN "queue.jobs"')
    const job = await runningJob(world)
    const waitingJob = await enqueueProbe(world, { delayMs: 60_000 })
    await queue.cancel(waitingJob.id)
    await queue.cancel(job.id)
    // The notification of the enqueue may arrive only now, so it is left out.
    const cancels = () => payloads.filter((payload) => payload !== 'default')
    await until('the cancel is received', async () => cancels().length > 0)
    expect(cancels()).toEqual([`x:${job.id}`])
  })
})

describe('a cancel that meets another act on its job waits for it, and acts on the state it leaves:', () => {
  /** Cancels the job while `act` has changed it in an open transaction, which then commits. */
  async function cancelDuring(id: string, act: (database: ReturnType<typeof within>) => Promise<unknown>) {
    const session = await world.session()
    await session.query('BEGIN')
    await act(within(session))
    const cancelling = queue.cancel(id)
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    return cancelling
  }

  test('a claim makes it a request', async () => {
    const job = await enqueueProbe(world)
    const workerId = await newWorker(world)
    const result = await cancelDuring(job.id, (database) => claim({ database }, workerId))
    expect(result).toMatchObject({ outcome: 'requested', job: { status: 'running', cancelRequested: true } })
    expect(await rowOf(world, job.id)).toMatchObject({
      status: 'running',
      cancel_requested: true,
      lease_token: 1,
    })
  })

  test('a finish makes it come too late', async () => {
    const job = await runningJob(world)
    const result = await cancelDuring(job.id, (database) =>
      finishJobs(database, [{ lease: job.lease, resultText: '1', note: null }]),
    )
    expect(result).toMatchObject({ outcome: 'already_terminal', job: { status: 'succeeded', result: 1 } })
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', cancel_requested: false })
  })

  test('a release makes it final', async () => {
    const job = await runningJob(world)
    const result = await cancelDuring(job.id, (database) => releaseJobs(database, [job.lease]))
    expect(result).toMatchObject({ outcome: 'cancelled', job: { status: 'cancelled' } })
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'cancelled', is_finished_at: true })
  })

  test('a requeue makes it final, too', async () => {
    const job = await enqueueProbe(world)
    await queue.cancel(job.id)
    const result = await cancelDuring(job.id, (database) => requeueJob(asActDatabase(database), job.id))
    expect(result).toMatchObject({ outcome: 'cancelled', job: { status: 'cancelled' } })
  })

  test('a removal makes it job_not_found', async () => {
    const job = await enqueueProbe(world)
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('DELETE FROM queue.jobs WHERE id = $1', [job.id])
    const refused = expect(queue.cancel(job.id)).rejects.toMatchObject({ code: 'job_not_found' })
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    await refused
  })
})

test('a cancel and a claim at once end in one of the two orders, for every job', async () => {
  const jobs: string[] = []
  for (let n = 0; n < 40; n += 1) jobs.push((await enqueueProbe(world)).id)
  const workerId = await newWorker(world)
  const claims = async (): Promise<ClaimedJob[]> => {
    const mine: ClaimedJob[] = []
    for (let round = 0; round < 10; round += 1) mine.push(...(await claim(world, workerId, { limit: 5 })))
    return mine
  }
  const [claimed, cancels] = await Promise.all([claims(), Promise.all(jobs.map((id) => queue.cancel(id)))])
  for (const [index, id] of jobs.entries()) {
    const wasClaimed = claimed.some((job) => job.id === id)
    expect(cancels[index]?.outcome).toBe(wasClaimed ? 'requested' : 'cancelled')
    expect(await rowOf(world, id)).toMatchObject(
      wasClaimed ? { status: 'running', cancel_requested: true } : { status: 'cancelled', attempts: 0 },
    )
  }
})
