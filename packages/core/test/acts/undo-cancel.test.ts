import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import type { CancelledJob } from '../../src/database/chosen-jobs.ts'
import type { Actor } from '../../src/domain/actor.ts'
import type { Lease } from '../../src/domain/job.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { cancelRunningJobs } from '../../src/transitions/cancel-running-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { claim, enqueueProbe, enqueueProbes, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const by: Actor = { type: 'key', id: 'operator', name: 'an operator' }
const hourMs = 3_600_000

function doneResult(result: ManyResult): Extract<ManyResult, { outcome: 'done' }> {
  if (result.outcome !== 'done') throw new Error(`was made an operation: ${result.operation.id}`)
  return result
}

async function cancelAll(): Promise<readonly CancelledJob[]> {
  return doneResult(await queue.many.cancel({}, { all: true })).cancelled
}

/** What a caller sends who has read the job as `queued`, and now reads that it is cancelled. */
async function readAs(id: string): Promise<CancelledJob> {
  const job = await queue.get(id)
  if (job?.status !== 'cancelled') throw new Error(`the job is ${job?.status}`)
  return { id, status: 'queued', changedAt: job.updatedAt }
}

/** How an attempt ends, other than that its handler has succeeded. */
const ends: Readonly<Record<string, (lease: Lease) => Promise<unknown>>> = {
  'stops for the cancel': (lease) => cancelRunningJobs(database, [lease]),
  fails: (lease) =>
    retryOrDeadLetterJobs(database, [{ lease, error: 'no', waitMs: hourMs, permanent: false }]),
  'is snoozed': (lease) => snoozeJobs(database, [{ lease, waitMs: hourMs }]),
  'is released': (lease) => releaseJobs(database, [lease]),
  'is lost': async () => {
    await world.sql(`UPDATE queue.workers SET lease_expires_at = now() - interval '1 minute'`)
    await recoverJobs(database)
  },
}

/** Each job as a whole, except when it was changed. */
const rowsOf = () =>
  world.sql<{ row: object }>(`SELECT to_jsonb(j) - 'updated_at' AS row FROM queue.all_jobs AS j ORDER BY id`)

describe('the undo of a cancel', () => {
  test('restores the whole row of each job, and lets it run when it would have', async () => {
    const worker = await newWorker(world)
    const [snoozed, failed] = [await runningJob(world), await runningJob(world)]
    await snoozeJobs(database, [{ lease: snoozed.lease, waitMs: hourMs }])
    await retryOrDeadLetterJobs(database, [
      { lease: failed.lease, error: 'no', waitMs: hourMs, permanent: false },
    ])
    const unique = { key: 'order-1', scope: 'waiting' } as const
    await enqueueProbe(world, { delayMs: 24 * hourMs, expiresInMs: 48 * hourMs, key: 'a', unique })
    const before = await rowsOf()
    const cancelled = await cancelAll()
    const undone = doneResult(await queue.actAs(by).many.undoCancel(cancelled))
    expect(undone.jobIds).toHaveLength(3)
    expect(undone.skipped).toBe(0)
    expect(await rowsOf()).toEqual(before)
    expect(await claim(world, worker, { limit: 5 })).toEqual([])
    const conflict = await queue.enqueue(probe, {}, { unique })
    expect(conflict).toMatchObject({ conflict: 'returned' })
    const [entry] = (await queue.audit.list()).entries
    expect(entry).toMatchObject({ act: 'job.requeue', count: 3, actor: 'operator' })
  })

  test('skips jobs that have changed since, jobs that ran, and jobs of others, and is made once', async () => {
    const running = await runningJob(world)
    const jobs = await enqueueProbes(world, 2)
    const [requeued, untouched] = jobs.map(({ id }) => id)
    const other = await enqueueProbe(world, { tenantId: 'evil' })
    const cancelled = await cancelAll()
    expect(cancelled.map(({ id }) => id)).not.toContain(running.id)
    await queue.requeue(requeued as string)
    const unknownJob: CancelledJob = { id: 'x', status: 'queued', changedAt: new Date() }
    const acme = scopeQueue(queue, { tenantId: 'acme' })
    expect(await acme.many.undoCancel(cancelled)).toMatchObject({ jobIds: [], skipped: 3 })
    expect(doneResult(await queue.many.undoCancel([...cancelled, unknownJob]))).toMatchObject({
      jobIds: [untouched, other.id],
      skipped: 2,
    })
    expect(await queue.many.undoCancel(cancelled)).toMatchObject({ jobIds: [], skipped: 3 })
  })

  test.each(Object.entries(ends))(
    'skips a job whose cancel was requested while it ran, and whose attempt %s',
    async (_, end) => {
      const { id, lease } = await runningJob(world)
      expect(await queue.cancel(id)).toMatchObject({ outcome: 'requested' })
      await end(lease)
      expect(await queue.many.undoCancel([await readAs(id)])).toMatchObject({ jobIds: [], skipped: 1 })
      // A requeue lets it wait, and the cancel of that can be undone.
      await queue.requeue(id)
      await queue.cancel(id)
      expect(await queue.many.undoCancel([await readAs(id)])).toMatchObject({ jobIds: [id], skipped: 0 })
    },
  )

  test('restores a job whose cancel was requested while it was claimed, if no worker started it', async () => {
    const { id, lease } = await runningJob(world)
    await queue.cancel(id)
    await returnUnstartedJobs(database, [lease])
    expect(await queue.many.undoCancel([await readAs(id)])).toMatchObject({ jobIds: [id] })
    expect(await queue.get(id)).toMatchObject({ status: 'queued', attempts: 0 })
  })

  test('restores a job that had failed, and then waited for its next attempt', async () => {
    const { id, lease } = await runningJob(world)
    await ends['fails']?.(lease)
    await queue.cancel(id)
    expect(await queue.many.undoCancel([await readAs(id)])).toMatchObject({ jobIds: [id] })
  })

  test.each(['live', 'waiting'] as const)(
    'is refused while another job holds its key of scope %s',
    async (scope) => {
      const unique = { key: 'order-1', scope }
      const { job } = await queue.enqueue(probe, {}, { unique })
      const cancelled = await cancelAll()
      const { job: holder } = await queue.enqueue(probe, {}, { unique })
      await expect(queue.many.undoCancel(cancelled)).rejects.toMatchObject({ code: 'unique_conflict' })
      expect(await queue.get(job.id)).toMatchObject({ status: 'cancelled' })
      await queue.cancel(holder.id)
      expect(await queue.many.undoCancel(cancelled)).toMatchObject({ jobIds: [job.id] })
      const next = await queue.enqueue(probe, {}, { unique })
      expect(next.job.id).toBe(job.id)
    },
  )

  test('counts a job once, however often the list names it', async () => {
    const { id } = await enqueueProbe(world)
    const [job] = await cancelAll()
    if (job === undefined) throw new Error('no job was cancelled')
    const thrice = [job, job, { ...job, id: id.toUpperCase() }]
    expect(await queue.many.undoCancel(thrice)).toMatchObject({ jobIds: [id], skipped: 0 })
    expect(await queue.many.undoCancel(thrice)).toMatchObject({ jobIds: [], skipped: 1 })
  })

  test('opens the lane of its key again', async () => {
    await enqueueProbe(world, { key: 'a' })
    const cancelled = await cancelAll()
    const worker = await newWorker(world)
    expect(await claim(world, worker, { limit: 5 })).toEqual([])
    await queue.many.undoCancel(cancelled)
    expect(await claim(world, worker, { limit: 5 })).toHaveLength(1)
  })
})
