import { afterEach, describe, expect, test } from '@jest/globals'
import { eventually, revokePrivilege } from '@queue/test-database'
import { databaseOf } from '@queue/core/internal'
import { createRefusedEnds, refusedEndsMax } from '../src/finisher.ts'
import { testJob, testRoles, useWorld } from './support/world.ts'

const world = useWorld()

const outcomes = (): string[] => world.observer.reports('jobCompleted').map((report) => report.outcome)
const refusals = () =>
  world.logger.lines.filter(({ message }) => message.includes('refuses to record the end'))

let restore = async (): Promise<void> => undefined
afterEach(() => restore())

/**
 * Revokes from the workers, until `restore`, what the end of a job needs: the insert into the history, and the update of these
 * columns of jobs; without columns, of all.
 */
async function revokeEnds(...columns: readonly string[]): Promise<void> {
  const update = { process: 'worker', privilege: 'UPDATE', table: 'jobs' } as const
  const grants = [
    await revokePrivilege(world.database, { process: 'worker', privilege: 'INSERT', table: 'ended_jobs' }),
    await revokePrivilege(world.database, columns.length === 0 ? update : { ...update, columns }),
  ]
  restore = async () => {
    restore = async () => undefined
    for (const grant of grants) await grant()
  }
}

describe('an end that the database refuses to record', () => {
  testRoles('is kept and recorded when it can be, however long ago its job was claimed', async () => {
    const gate = Promise.withResolvers<string>()
    let runs = 0
    await world.work(() => {
      runs += 1
      return gate.promise
    })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.pool.query(`UPDATE queue.jobs SET locked_at = now() - interval '10 minutes'`)
    await revokeEnds()
    gate.resolve('done at last')
    await eventually(() => refusals().length > 0)
    expect(await world.job(id)).toMatchObject({ status: 'running' })
    await restore()
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'done at last', attempts: 1 })
    await eventually(() => outcomes().length > 0)
    expect({ runs, outcomes: outcomes(), history: await world.history(id) }).toEqual({
      runs: 1,
      outcomes: ['succeeded'],
      history: ['succeeded'],
    })
    expect(refusals()).toHaveLength(1)
  })

  testRoles('keeps the worker from further jobs when it is one of too many', async () => {
    const jobs = refusedEndsMax + 50
    const concurrency = 4
    const runs = new Map<string, number>()
    const runNth = async (id: string, nth: number): Promise<void> => {
      runs.set(id, (runs.get(id) ?? 0) + 1)
      // A handler that is faster than the refusal of earlier ends would exceed the maximum.
      await eventually(() => keptCount() >= Math.min(nth - concurrency, refusedEndsMax), { intervalMs: 1 })
    }
    // A success sets this column, the return of a job that has not begun does not.
    await revokeEnds('started_at')
    await world.database.queue.enqueueMany(Array.from({ length: jobs }, () => testJob.create({})))
    let begun = 0
    await world.work((job) => runNth(job.id, (begun += 1)), { concurrency })
    const keptCount = (): number => Math.max(0, ...world.observer.reports('refusedEnds'))
    await eventually(() => keptCount() >= refusedEndsMax)
    // Jobs that waited in memory are returned, and are not claimed again.
    await eventually(async () => (await running()) === keptCount())
    await restore()
    await eventually(() => outcomes().length === jobs)
    expect(keptCount()).toBeLessThanOrEqual(refusedEndsMax + 2 * concurrency)
    expect(world.observer.reports('refusedEnds').at(-1)).toBe(0)
    expect({ runs: runs.size, most: Math.max(...runs.values()), outcomes: new Set(outcomes()) }).toEqual({
      runs: jobs,
      most: 1,
      outcomes: new Set(['succeeded']),
    })
  })

  testRoles('is lost, and counted so once, when its job is in other hands by then', async () => {
    const gate = Promise.withResolvers<void>()
    await world.work(() => gate.promise, { watchIntervalMs: 3_600_000 })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await revokeEnds()
    gate.resolve()
    await eventually(() => refusals().length > 0)
    await world.database.pool.query(
      `UPDATE queue.jobs SET status = 'cancelled', attempts = 0, finished_at = now(), locked_by = NULL, locked_at = NULL`,
    )
    await restore()
    await eventually(() => outcomes().length > 0)
    expect(outcomes()).toEqual(['lost'])
    expect(world.observer.reports('staleWriteRefused')).toHaveLength(1)
  })

  testRoles('is given up with the worker, and counted so once: recovery takes its job over', async () => {
    const worker = await world.work(() => 'done', { shutdownGraceMs: 50 })
    await revokeEnds('last_error')
    const id = await world.enqueue()
    await eventually(() => refusals().length > 0)
    await worker.stop()
    await eventually(() => outcomes().length > 0)
    expect(outcomes()).toEqual(['error'])
    expect(await world.job(id)).toMatchObject({ status: 'running' })
    await restore()
    await world.work(() => 'done again')
    await world.recovered(id)
    expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 2, result: 'done again' })
  })

  async function running(): Promise<number> {
    const { rowCount } = await world.database.pool.query(
      `SELECT FROM queue.all_jobs WHERE status = 'running'`,
    )
    return rowCount ?? 0
  }
})

describe('kept ends', () => {
  function keeping() {
    const giveUp = new AbortController()
    const counts: number[] = []
    const ends = createRefusedEnds({
      database: databaseOf(world.database.queue),
      onCount: (count) => counts.push(count),
      onOutage: () => undefined,
      giveUp: giveUp.signal,
      unwritten: { add: () => undefined },
    })
    return { ends, counts, giveUp }
  }

  test('are tried at once when the worker stops, and one that is still refused stays', async () => {
    const { ends, counts } = keeping()
    let isRefused = true
    let tries = 0
    const keptOutcome = ends.keep(async () => {
      tries += 1
      if (isRefused) throw new Error('refused')
      return 'succeeded'
    })
    await ends.tryNow()
    expect({ tries, counts }).toEqual({ tries: 1, counts: [1] })
    isRefused = false
    await ends.tryNow()
    expect({ outcome: await keptOutcome, counts }).toEqual({ outcome: 'succeeded', counts: [1, 0] })
  })

  test('are given up after a last try when the worker is told to', async () => {
    const { ends, giveUp } = keeping()
    let isRefused = true
    const refused = ends.keep(() => Promise.reject(new Error('refused')))
    const snoozed = ends.keep(async () => {
      if (isRefused) throw new Error('refused')
      return 'snoozed'
    })
    await ends.tryNow()
    isRefused = false
    giveUp.abort()
    expect([await refused, await snoozed]).toEqual(['error', 'snoozed'])
  })

  test('stop the start of further jobs when they reach their maximum', () => {
    const { ends, giveUp } = keeping()
    for (let n = 0; n < refusedEndsMax; n += 1) {
      expect(ends.isFull).toBe(false)
      void ends.keep(() => Promise.reject(new Error('refused')))
    }
    expect(ends.isFull).toBe(true)
    giveUp.abort()
  })
})
