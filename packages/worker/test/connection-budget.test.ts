import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, skippedBehindPooler } from '@queue/test-database'
import { useWorld } from './support/world.ts'

const world = useWorld()

const counting = skippedBehindPooler('how many connections the server has is for the pooler to say')
  ? describe.skip
  : describe

const poolMax = 3
const concurrency = 2

/** The documented maximum number of a worker's connections, by purpose. */
const budget = new Map([
  ['queue-worker', poolMax],
  ['queue-handler', concurrency],
  ['queue-lease', 1],
  ['queue-listener', 1],
])

beforeAll(async () => {
  await world.database.pool.query('CREATE TABLE effects (job_id uuid); GRANT ALL ON effects TO PUBLIC')
})

async function sessions(condition = 'true'): Promise<Map<string, number>> {
  const { rows } = await world.database.pool.query<{ name: string; count: number }>(
    `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'queue-%' AND ${condition}
      GROUP BY application_name`,
  )
  return new Map(rows.map(({ name, count }) => [name, count]))
}

/** Locks these tables while `work` runs. Resolves with the largest number of connections for each purpose. */
async function maxConnectionsBehindLock(
  tables: string,
  work: () => Promise<unknown>,
): Promise<Map<string, number>> {
  const locker = await world.database.pool.connect()
  const maxCounts = new Map<string, number>()
  let isOver = false
  const watching = (async () => {
    while (!isOver)
      for (const [name, count] of await sessions())
        maxCounts.set(name, Math.max(maxCounts.get(name) ?? 0, count))
  })()
  try {
    await locker.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`)
    await work()
  } finally {
    isOver = true
    await watching
    await locker.query('ROLLBACK')
    locker.release()
  }
  return maxCounts
}

function expectWithin(maxCounts: ReadonlyMap<string, number>): void {
  const overBudget = [...maxCounts].filter(([name, count]) => count > (budget.get(name) ?? 0))
  expect(overBudget).toEqual([])
}

counting('behind a lock, however long it is held', () => {
  test('a worker has no more connections than its line says, and goes on when the lock is gone', async () => {
    await world.work(() => 'done', {
      poolMax,
      concurrency,
      queryTimeoutMs: 500,
      leaseMs: 3_000,
      heartbeatMs: 500,
    })
    const lockedMs = 4_000
    const maxCounts = await maxConnectionsBehindLock('queue.jobs, queue.workers', async () => {
      await new Promise((resolve) => setTimeout(resolve, lockedMs))
      // Between a statement that was given up and the next one there may be no connection for a moment.
      await eventually(async () => (await sessions(`wait_event_type = 'Lock'`)).size > 0)
    })
    expectWithin(maxCounts)
    await world.reached(await world.enqueue(), 'succeeded')
  })

  test('nor have handlers whose transactions are told to stop while their statements wait', async () => {
    await world.work(
      (job, ctx) => ctx.transaction((tx) => tx.query('INSERT INTO effects VALUES ($1)', [job.id])),
      { poolMax, concurrency, timeoutGraceMs: 5_000 },
    )
    const attempts = 4
    const maxCounts = await maxConnectionsBehindLock('effects', async () => {
      const options = { timeoutMs: 200, maxAttempts: 100 }
      const ids = await Promise.all(Array.from({ length: concurrency }, () => world.enqueue(options)))
      for (const id of ids) {
        await eventually(async () => (await world.history(id)).length >= attempts)
      }
    })
    expect(maxCounts.get('queue-handler')).toBe(concurrency)
    expectWithin(maxCounts)
    await eventually(async () => (await sessions(`wait_event_type = 'Lock'`)).size === 0)
    const { rows } = await world.database.pool.query('SELECT job_id FROM effects')
    expect(rows.length).toBeLessThanOrEqual(concurrency)
  })
})
