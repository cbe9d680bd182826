import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import type { ChangedJob, PreviousStart } from '../../src/database/chosen-jobs.ts'
import type { Actor } from '../../src/domain/actor.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { operationRateMax } from '../../src/domain/limits.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { rescheduleJobs } from '../../src/transitions/reschedule-jobs.ts'
import { claim, enqueueProbe, enqueueProbes, newWorker, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const by: Actor = { type: 'key', id: 'operator', name: 'an operator' }
const hourMs = 3_600_000
const inAnHour = (): Date => new Date(Date.now() + hourMs)
const past = new Date('2026-01-15T09:30:00Z')

function doneResult(result: ManyResult): Extract<ManyResult, { outcome: 'done' }> {
  if (result.outcome !== 'done') throw new Error(`was made an operation: ${result.operation.id}`)
  return result
}

async function reschedule(filter = {}): Promise<readonly PreviousStart[]> {
  return doneResult(await queue.many.reschedule(filter, { all: true, runAt: inAnHour() })).previous
}

/** The start of each job, to the microsecond. */
async function startsOf(): Promise<ReadonlyMap<string, string>> {
  const rows = await world.sql<{ id: string; run_at: string }>(
    'SELECT id::text, run_at::text FROM queue.all_jobs ORDER BY id',
  )
  return new Map(rows.map(({ id, run_at: runAt }) => [id, runAt]))
}

describe('the undo of a reschedule', () => {
  test('restores the start of each job, also a past one, and its place in the queue', async () => {
    const [overdue, due, , delayed] = [
      ...(await enqueueProbes(world, 3)),
      ...(await enqueueProbes(world, 2, { delayMs: hourMs / 2, key: 'a' })),
    ]
    const ofYesterday = `created_at = now() - interval '1 day', run_at = date_trunc('milliseconds', now()) - interval '1 hour'`
    await world.sql(`UPDATE queue.jobs SET ${ofYesterday} WHERE id = $1`, [overdue?.id])
    const before = await startsOf()
    const previous = await reschedule()
    expect(previous.find(({ id }) => id === delayed?.id)?.runAt).toEqual(delayed?.runAt)
    expect(await claim(world, await newWorker(world), { limit: 5 })).toEqual([])
    const undone = doneResult(await queue.actAs(by).many.undoReschedule(previous))
    expect(undone).toMatchObject({ skipped: 0, previous: [] })
    expect(undone.jobIds.toSorted()).toEqual([...before.keys()])
    const msOf = (starts: ReadonlyMap<string, string>): number[] =>
      [...starts.values()].map((at) => new Date(at).getTime())
    expect(msOf(await startsOf())).toEqual(msOf(before))
    const worker = await newWorker(world)
    const claimed: ClaimedJob[] = []
    // A claim that also looks at jobs with keys may leave a part of its limit to them.
    while (claimed.length < 2) claimed.push(...(await claim(world, worker, { limit: 2 - claimed.length })))
    expect(claimed.map(({ id }) => id)).toEqual([overdue?.id, due?.id])
    const [entry] = (await queue.audit.list()).entries
    expect(entry).toMatchObject({ act: 'job.reschedule', count: 5, actor: 'operator' })
  })

  test('skips jobs that have started, ended, or been moved or edited since, and counts each once', async () => {
    const jobs = await enqueueProbes(world, 7)
    const [started, returned, ended, movedAgain, edited, runNow, untouched] = jobs.map(({ id }) => id)
    const previous = await reschedule()
    await world.sql('UPDATE queue.jobs SET run_at = now() WHERE id = ANY($1::uuid[])', [[started, returned]])
    const claimed = await claim(world, await newWorker(world))
    const lease = claimed.find(({ id }) => id === returned)?.lease
    await releaseJobs(database, lease === undefined ? [] : [lease])
    await queue.cancel(ended as string)
    const inTwoHours = { runAt: new Date(Date.now() + 2 * hourMs) }
    await world.sql(`UPDATE queue.jobs SET queue = 'again' WHERE id = $1`, [movedAgain])
    await queue.many.reschedule({ queue: 'again' }, inTwoHours)
    await queue.edit(edited as string, { priority: 1 })
    await queue.runNow(runNow as string)
    const before = await startsOf()
    const unknownJob = { ...previous[0], id: '01900000-0000-7000-8000-000000000000' } as PreviousStart
    const result = doneResult(await queue.many.undoReschedule([...previous, unknownJob]))
    expect(result).toMatchObject({ jobIds: [untouched], skipped: 7 })
    const after = await startsOf()
    expect([...after].filter(([id]) => id !== untouched)).toEqual(
      [...before].filter(([id]) => id !== untouched),
    )
    // Sent again, it finds that the jobs have changed since.
    expect(await queue.many.undoReschedule(previous)).toMatchObject({ jobIds: [], skipped: 7 })
  })

  test('distinguishes two moves in one millisecond', async () => {
    const [job] = await enqueueProbes(world, 1)
    const runAt = inAnHour()
    const selection = { ids: [job?.id as string], condition: sql`true` }
    const [first, second] = await database.transaction(async (inside) => {
      const move = (to: Date) => rescheduleJobs(inside, selection, to)
      return [await move(runAt), await move(new Date(runAt.getTime() + 1))]
    })
    const undo = (changed: readonly ChangedJob[] = []) =>
      queue.many.undoReschedule(changed.flatMap(({ previous }) => previous ?? []))
    expect(await undo(first)).toMatchObject({ jobIds: [], skipped: 1 })
    expect(await undo(second)).toMatchObject({ jobIds: [job?.id], skipped: 0 })
    expect((await queue.get(job?.id as string))?.runAt).toEqual(runAt)
  })

  test('moves no job before its creation, and no job of others', async () => {
    const [ownJob, otherJob] = [
      ...(await enqueueProbes(world, 1, { tenantId: 'acme' })),
      ...(await enqueueProbes(world, 1, { tenantId: 'evil' })),
    ]
    const previous = (await reschedule()).map((start) => ({ ...start, runAt: past }))
    const acme = scopeQueue(queue, { tenantId: 'acme' })
    expect(doneResult(await acme.many.undoReschedule(previous))).toMatchObject({
      jobIds: [ownJob?.id],
      skipped: 1,
    })
    expect((await queue.get(ownJob?.id as string))?.runAt).toEqual(ownJob?.createdAt)
    expect((await queue.get(otherJob?.id as string))?.runAt.getTime()).toBeGreaterThan(Date.now())
  })

  test('leaves a job alone that would expire before the start in the list', async () => {
    const expiring = { expiresInMs: 2 * hourMs }
    const { id: started, lease } = await runningJob(world, expiring)
    await releaseJobs(database, [lease])
    const { id: waiting } = await enqueueProbe(world, expiring)
    const later = (await reschedule()).map((start) => ({
      ...start,
      runAt: new Date(Date.now() + 3 * hourMs),
    }))
    // An expiry holds no longer for a job that has started.
    expect(await queue.many.undoReschedule(later)).toMatchObject({ jobIds: [started], skipped: 1 })
    const job = await queue.get(waiting)
    expect(job?.runAt.getTime()).toBeLessThan(job?.expiresAt?.getTime() as number)
  })

  test('counts a job once, however often the list names it', async () => {
    const [job] = await enqueueProbes(world, 1)
    const [start] = await reschedule()
    if (job === undefined || start === undefined) throw new Error('no job was moved')
    const thrice = [start, start, { ...start, id: start.id.toUpperCase() }]
    expect(await queue.many.undoReschedule(thrice)).toMatchObject({ jobIds: [job.id], skipped: 0 })
    expect(await queue.many.undoReschedule(thrice)).toMatchObject({ jobIds: [], skipped: 1 })
  })

  test('is not offered for an operation, and takes 1 000 jobs at most', async () => {
    await enqueueProbes(world, 1)
    const asOperation = await queue.many.reschedule(
      {},
      { all: true, runAt: inAnHour(), rate: operationRateMax },
    )
    expect(asOperation).not.toHaveProperty('previous')
    const start = { id: 'x', runAt: past, changedAt: past }
    await expect(queue.many.undoReschedule(Array.from({ length: 1_001 }, () => start))).rejects.toMatchObject(
      {
        code: 'invalid_options',
      },
    )
    expect(await queue.many.undoReschedule([start])).toMatchObject({ jobIds: [], skipped: 1 })
  })
})
