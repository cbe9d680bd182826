import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { assertInvariants, endedAttempts, eventually } from '@queue/test-database'
import { snoozed } from '@queue/executor'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

/**
 * Runs `count` jobs of these keys with several workers. Resolves with the largest number of concurrent jobs per key and in total.
 */
async function runAll(
  keys: readonly (string | undefined)[],
  handle: (key: string | null) => Promise<unknown>,
) {
  const running = new Map<string, number>()
  const maxRunning = new Map<string, number>()
  let ended = 0
  const change = (key: string, by: 1 | -1): void => {
    const now = (running.get(key) ?? 0) + by
    running.set(key, now)
    maxRunning.set(key, Math.max(maxRunning.get(key) ?? 0, now))
  }
  const handler = async ({ key, attempt }: { readonly key: string | null; readonly attempt: number }) => {
    change(key ?? '-', 1)
    change('all', 1)
    try {
      await handle(key)
      if (attempt === 1 && Math.random() < 0.2) throw new Error('once more')
      ended += 1
    } finally {
      change(key ?? '-', -1)
      change('all', -1)
    }
  }
  await world.database.queue.enqueueMany(
    keys.map((key) => testJob.create({}, { ...(key !== undefined && { key }), maxAttempts: 5 })),
  )
  for (let n = 0; n < 3; n += 1) await world.work(handler, { concurrency: 6 })
  await eventually(() => ended >= keys.length)
  return maxRunning
}

test('no limit is ever exceeded, whatever fails, and all that may run does', async () => {
  const { limits } = world.database.queue
  await limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
  await limits.set({ queue: 'default', scope: 'key', name: 'k1', maxRunning: 1 })
  await limits.set({ queue: 'default', scope: 'queue', maxRunning: 7 })
  const keys = Array.from({ length: 400 }, (_, n) => (n % 5 === 0 ? undefined : `k${n % 5}`))
  // The first jobs end only when as many run as may, which short jobs on a busy machine may never do by chance.
  const full = Promise.withResolvers<void>()
  let begun = 0
  const maxRunning = await runAll(keys, async () => {
    begun += 1
    if (begun === 7) full.resolve()
    await full.promise
    await wait(2)
  })
  expect(maxRunning.get('all')).toBe(7)
  expect(maxRunning.get('k1')).toBe(1)
  for (const key of ['k2', 'k3', 'k4']) expect(maxRunning.get(key)).toBeLessThanOrEqual(2)
  await assertInvariants(world.database)
  await eventually(async () => {
    const { rows } = await world.database.pool.query(
      'SELECT 1 FROM queue.lane_events UNION ALL SELECT 1 FROM queue.lanes',
    )
    return rows.length === 0
  })
  // The last handlers have ended a moment before their ends are recorded.
  await eventually(async () => {
    const { rows } = await world.database.pool.query(
      'SELECT sum(running)::int AS running FROM queue.limit_counters',
    )
    expect(rows).toEqual([{ running: 0 }])
    return true
  })
})

test('jobs of one key run one after the other without pauses', async () => {
  await world.database.queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
  const started = performance.now()
  const maxRunning = await runAll(
    Array.from({ length: 60 }, () => 'a'),
    async () => undefined,
  )
  expect(maxRunning.get('a')).toBe(1)
  // Polling alone would take at least half a minute.
  expect(performance.now() - started).toBeLessThan(25_000)
})

test('jobs of a key in order begin one after the other, also when attempts fail and snooze', async () => {
  const { queue } = world.database
  await queue.limits.set({ queue: 'default', scope: 'each_key', ordered: {} })
  const keys = Array.from({ length: 12 }, (_, n) => `k${n}`)
  const requests = keys.flatMap((key) =>
    [4, 1, 4, 7, 1, 4, 4, 7].map((priority) => testJob.create({}, { key, priority, maxAttempts: 20 })),
  )
  await queue.enqueueMany(requests)
  let ended = 0
  const handler = async ({ attempt }: { readonly attempt: number }) => {
    await wait(Math.random() * 5)
    const draw = Math.random()
    if (attempt < 10 && draw < 0.2) throw new Error('once more')
    if (attempt < 10 && draw < 0.3) return snoozed(1)
    ended += 1
    return undefined
  }
  for (let n = 0; n < 3; n += 1) await world.work(handler, { concurrency: 6 })
  await eventually(() => ended >= requests.length)
  await eventually(async () => {
    const { rows } = await world.database.pool.query('SELECT FROM queue.all_jobs WHERE finished_at IS NULL')
    return rows.length === 0
  })
  const { rows } = await world.database.pool.query<{ readonly key: string }>(`
    WITH attempts AS (
      SELECT j.key, x.job_id, x.started_at, x.finished_at,
             lag(x.job_id) OVER of_key AS last_id, lag(x.finished_at) OVER of_key AS last_end,
             row_number() OVER (PARTITION BY x.job_id ORDER BY x.started_at) AS n,
             count(*) FILTER (WHERE j.status = 'succeeded') OVER of_key AS attempts,
             (j.priority, j.id) AS place
        FROM ${endedAttempts('queue')} AS x JOIN queue.all_jobs AS j ON j.id = x.job_id
      WINDOW of_key AS (PARTITION BY j.key ORDER BY x.started_at)
    ), starts AS (
      SELECT a.*, lag(a.place) OVER (PARTITION BY a.key ORDER BY a.started_at) AS last_place FROM attempts AS a
    )
    SELECT s.key FROM starts AS s
     WHERE s.started_at < s.last_end OR s.place < s.last_place OR (s.n > 1 AND s.job_id <> s.last_id)`)
  expect(rows).toEqual([])
  await assertInvariants(world.database)
})

test('tenants with many keys take turns under limits, and all of their jobs run', async () => {
  const { limits } = world.database.queue
  await limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
  await limits.set({ queue: 'default', scope: 'tenant', name: 't1', weight: 3 })
  await limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
  const requests = Array.from({ length: 300 }, (_, n) =>
    testJob.create(
      {},
      { ...(n % 4 > 0 && { key: `k${n % 10}` }), tenantId: `t${n % 3}`, priority: n % 2, maxAttempts: 20 },
    ),
  )
  let ended = 0
  const handler = async ({ attempt }: { readonly attempt: number }) => {
    await wait(1)
    if (attempt < 10 && Math.random() < 0.2) throw new Error('once more')
    ended += 1
  }
  await world.database.queue.enqueueMany(requests.slice(0, 150))
  for (let n = 0; n < 3; n += 1) await world.work(handler, { concurrency: 6 })
  for (const request of requests.slice(150)) await world.database.queue.enqueueMany([request])
  await eventually(() => ended >= requests.length)
  await assertInvariants(world.database)
  await eventually(async () => {
    const { rows } = await world.database.pool.query(
      'SELECT 1 FROM queue.lane_events UNION ALL SELECT 1 FROM queue.lanes UNION ALL SELECT 1 FROM queue.lane_turns WHERE share <> chr(9)',
    )
    return rows.length === 0
  })
})

test('a job no longer counts for its limit after a snooze or after its own transaction', async () => {
  await world.database.queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
  const ids = [
    await world.enqueue({ key: 'a' }),
    await world.enqueue({ key: 'a' }),
    await world.enqueue({ key: 'a' }),
  ]
  await world.work(async (job, context) => {
    if (job.id === ids[0] && job.attempt === 1 && job.lease.token === 1) return snoozed(1)
    if (job.id === ids[1]) return context.transaction(async () => undefined)
    return undefined
  })
  for (const id of ids) await world.reached(id, 'succeeded')
  await assertInvariants(world.database)
})
