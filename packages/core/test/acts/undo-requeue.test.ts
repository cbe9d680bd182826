import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import { carryOutOperation } from '../../src/acts/carry-out-operation.ts'
import { pruneRequeuedJobs } from '../../src/acts/prune-requeued-jobs.ts'
import type { RequeuedJob } from '../../src/database/chosen-jobs.ts'
import type { Actor } from '../../src/domain/actor.ts'
import { requeueUndoMs } from '../../src/domain/limits.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { claim, enqueueProbe, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const by: Actor = { type: 'key', id: 'operator', name: 'an operator' }
const acme = scopeQueue(queue, { tenantId: 'acme' })

function doneResult(result: ManyResult): Extract<ManyResult, { outcome: 'done' }> {
  if (result.outcome !== 'done') throw new Error(`was made an operation: ${result.operation.id}`)
  return result
}

async function deadLetteredJob(options: Parameters<typeof runningJob>[1] = {}): Promise<string> {
  const job = await runningJob(world, options)
  await retryOrDeadLetterJobs(database, [
    { lease: job.lease, error: 'the answer was "no"', waitMs: 0, permanent: true },
  ])
  return job.id
}

/** A job of every sort that a requeue changes: failed with all there is to lose, and cancelled while it waited. */
async function endedJobs(): Promise<readonly string[]> {
  const full = {
    key: 'a',
    idempotencyKey: 'k',
    unique: { key: 'order-1', scope: 'live' },
    metadata: { order: '4711' },
    expiresInMs: 3_600_000,
  } as const
  const failed = await deadLetteredJob({ ...full, tenantId: 'acme' })
  await world.sql(`UPDATE queue.jobs SET progress = 50, progress_message = 'half', payload = 'null'`)
  await world.sql(`UPDATE queue.dead_letter_jobs SET payload = 'null'`)
  const waiting = await enqueueProbe(world, {
    delayMs: 3_600_000,
    tenantId: 'acme',
    unique: { key: 'order-2', scope: 'waiting' },
  })
  await queue.cancel(waiting.id)
  return [failed, waiting.id]
}

/** Each job and dead letter as a whole, except when the job was changed. */
const rowsOf = () =>
  world.sql<{ row: object }>(
    `SELECT to_jsonb(j) - 'updated_at' AS row FROM queue.all_jobs AS j
     UNION ALL SELECT to_jsonb(d) FROM queue.dead_letter_jobs AS d ORDER BY 1`,
  )

const kept = () => world.sql('SELECT FROM queue.requeued_jobs')

/** Every way to requeue jobs, with what its undo takes. */
const requeues: Readonly<Record<string, () => Promise<readonly RequeuedJob[]>>> = {
  'one by one': async () => {
    const { jobs } = await queue.list()
    return Promise.all(
      jobs.map(async ({ id }) => {
        const { updatedAt } = await queue.requeue(id, { expiresInMs: 7_200_000 })
        return { id, changedAt: updatedAt }
      }),
    )
  },
  'by a filter': async () => doneResult(await queue.many.requeue({}, { all: true })).requeued,
  'by a filter of a tenant': async () => doneResult(await acme.many.requeue({}, { all: true })).requeued,
  'by the dead letter': async () => {
    const { deadLetters } = await queue.deadLetters.list()
    return Promise.all(
      deadLetters.map(async ({ id, jobId }) => {
        const { updatedAt } = await queue.deadLetters.requeue(id)
        return { id: jobId, changedAt: updatedAt }
      }),
    )
  },
  'as dead letters of a filter': async () =>
    doneResult(await queue.many.requeueDeadLetters({}, { all: true })).requeued,
  'as dead letters of a tenant': async () =>
    doneResult(await acme.many.requeueDeadLetters({}, { all: true })).requeued,
}

describe('the undo of a requeue', () => {
  test.each(Object.keys(requeues))(
    '%s restores the whole row and the dead letter of each job',
    async (way) => {
      await endedJobs()
      const before = await rowsOf()
      const requeued = await requeues[way]?.()
      expect(requeued?.length).toBeGreaterThan(0)
      expect(await rowsOf()).not.toEqual(before)
      const undone = doneResult(await acme.actAs(by).many.undoRequeue(requeued ?? []))
      expect(undone).toMatchObject({
        skipped: 0,
        jobIds: expect.arrayContaining(requeued?.map(({ id }) => id) ?? []),
      })
      expect(await rowsOf()).toEqual(before)
      expect(await kept()).toEqual([])
      expect(await claim(world, await newWorker(world), { limit: 5 })).toEqual([])
      const [entry] = (await queue.audit.list()).entries
      expect(entry).toMatchObject({ act: 'job.undo_requeue', count: requeued?.length, actor: 'operator' })
    },
  )

  test('counts a job once, however often the list names it', async () => {
    const { id } = await enqueueProbe(world)
    await queue.cancel(id)
    const [job] = doneResult(await queue.many.requeue({}, { all: true })).requeued
    if (job === undefined) throw new Error('no job was requeued')
    const thrice = [job, job, { ...job, id: id.toUpperCase() }]
    expect(await queue.many.undoRequeue(thrice)).toMatchObject({ jobIds: [id], skipped: 0 })
    expect(await queue.many.undoRequeue(thrice)).toMatchObject({ jobIds: [], skipped: 1 })
  })

  test('of many that workers requeued restores a single one of them', async () => {
    const [id = ''] = await endedJobs()
    const before = await rowsOf()
    await queue.many.requeueDeadLetters({}, { all: true, rate: 1_000 })
    await carryOutOperation(database)
    const changedAt = (await queue.get(id))?.updatedAt ?? new Date(0)
    await queue.many.undoRequeue([{ id, changedAt }])
    expect(await rowsOf()).toEqual(before)
  })

  test('skips jobs that have changed or been claimed since, and jobs of others, and is made once', async () => {
    const ids = [
      await deadLetteredJob(),
      await deadLetteredJob(),
      await deadLetteredJob(),
      await deadLetteredJob(),
    ]
    const { requeued } = doneResult(await queue.many.requeueDeadLetters({}, { all: true }))
    const [edited = '', returned] = ids
    await queue.edit(edited, { priority: 1 })
    const worker = await newWorker(world)
    const claimed = await claim(world, worker, { limit: 3 })
    expect(claimed.map(({ id }) => id)).toContain(returned)
    await returnUnstartedJobs(
      database,
      claimed.filter(({ id }) => id === returned).map(({ lease }) => lease),
    )
    expect(await acme.many.undoRequeue(requeued)).toMatchObject({ jobIds: [], skipped: 4 })
    const waiting = ids.filter((id) => id !== edited && !claimed.some((job) => job.id === id))
    const unknown: RequeuedJob = { id: 'x', changedAt: new Date() }
    expect(await queue.many.undoRequeue([...requeued, unknown])).toMatchObject({
      jobIds: waiting,
      skipped: 5 - waiting.length,
    })
    expect(await queue.many.undoRequeue(requeued)).toMatchObject({ jobIds: [], skipped: 4 })
  })

  test('of an earlier requeue leaves a later one alone', async () => {
    const id = await deadLetteredJob()
    const first = doneResult(await queue.many.requeue({}, { all: true })).requeued
    const [again] = await claim(world, await newWorker(world))
    if (again === undefined) throw new Error('nothing was claimed')
    await retryOrDeadLetterJobs(database, [{ lease: again.lease, error: 'no', waitMs: 0, permanent: true }])
    const before = await rowsOf()
    const second = doneResult(await queue.many.requeue({}, { all: true })).requeued
    expect(await queue.many.undoRequeue(first)).toMatchObject({ jobIds: [], skipped: 1 })
    expect(await queue.many.undoRequeue(second)).toMatchObject({ jobIds: [id] })
    expect(await rowsOf()).toEqual(before)
  })

  test('gives a job that retention had removed its dead letter again, and keeps both', async () => {
    const id = await deadLetteredJob({ tenantId: 'acme', idempotencyKey: 'k', metadata: { order: '4711' } })
    const { deadLetters } = await queue.deadLetters.list()
    await world.sql('DELETE FROM queue.job_metadata')
    await world.sql('DELETE FROM queue.jobs')
    await queue.enqueue(probe, {}, { idempotencyKey: 'k', tenantId: 'acme' })
    const { requeued } = doneResult(await queue.many.requeueDeadLetters({}, { all: true }))
    expect(await queue.many.undoRequeue(requeued)).toMatchObject({ jobIds: [id] })
    expect((await queue.deadLetters.list()).deadLetters).toEqual(deadLetters)
    const job = await queue.get(id)
    expect(job).toMatchObject({ status: 'failed_permanent', attempts: 1, metadata: { order: '4711' } })
    expect(job?.finishedAt?.getTime()).toBeGreaterThanOrEqual(
      deadLetters[0]?.deadLetteredAt.getTime() ?? Infinity,
    )
    expect(await queue.deadLetters.requeue(deadLetters[0]?.id ?? '')).toMatchObject({ id, status: 'queued' })
  })

  test('lets the next job of its key go on', async () => {
    await deadLetteredJob({ key: 'a' })
    const { requeued } = doneResult(await queue.many.requeue({}, { all: true }))
    const next = await enqueueProbe(world, { key: 'a' })
    await queue.many.undoRequeue(requeued)
    expect(await claim(world, await newWorker(world), { limit: 5 })).toMatchObject([{ id: next.id }])
  })

  test('is possible for an hour, and never once the job is erased', async () => {
    await deadLetteredJob()
    const { requeued } = doneResult(await queue.many.requeue({}, { all: true }))
    expect(await pruneRequeuedJobs(database)).toBe(0)
    expect(await kept()).toHaveLength(1)
    await queue.many.erase({}, { all: true })
    await carryOutOperation(database)
    expect(await kept()).toEqual([])
    await deadLetteredJob()
    await queue.many.requeue({}, { all: true })
    await world.sql(
      `UPDATE queue.requeued_jobs SET requeued_at = now() - interval '${requeueUndoMs + 1} milliseconds'`,
    )
    expect(await pruneRequeuedJobs(database)).toBe(1)
    expect(await queue.many.undoRequeue(requeued)).toMatchObject({ jobIds: [] })
  })
})
