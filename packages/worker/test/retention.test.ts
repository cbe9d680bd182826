import { expect, test } from '@jest/globals'
import { eventually, insertJob } from '@queue/test-database'
import { useWorld } from './support/world.ts'

const world = useWorld()
const dayMs = 86_400_000

test('a worker removes only jobs whose retention has passed, except for receipts', async () => {
  const ended = async (daysAgo: number, idempotencyKey: string | null = null): Promise<string> => {
    const at = { msFromNow: -daysAgo * dayMs }
    const job = { status: 'succeeded', createdAt: at, finishedAt: at, idempotencyKey } as const
    return (await insertJob(world.database, job)).id
  }
  const [old, young] = [await ended(3), await ended(1)]
  const [forgotten, remembered] = [await ended(5, 'forgotten'), await ended(3, 'known')]
  const waiting = await world.enqueue({ delayMs: dayMs })
  for (const days of [3, 1]) {
    await world.database.pool.query(
      `INSERT INTO queue.audit_log (at, act, actor_type, actor, count, target)
       SELECT now() - $1 * interval '1 day', 'queue.pause', 'anyone', 'anyone', 1, $1::text FROM generate_series(1, 1500)`,
      [days],
    )
  }
  await world.work(() => undefined, {
    retentionSucceededMs: 2 * dayMs,
    retentionAuditMs: 2 * dayMs,
    idempotencyTtlMs: 4 * dayMs,
    retentionIntervalMs: 20,
  })
  for (const id of [old, forgotten]) {
    await eventually(async () => (await world.database.queue.get(id)) === undefined)
  }
  expect(await world.job(remembered)).toMatchObject({ payload: null, strippedAt: expect.any(Date) })
  const entriesOf = async (days: number): Promise<number> => {
    const text = 'SELECT count(*)::int AS count FROM queue.audit_log WHERE target = $1::text'
    return (await world.database.pool.query<{ count: number }>(text, [days])).rows[0]?.count ?? 0
  }
  await eventually(async () => (await entriesOf(3)) === 0)
  expect(await entriesOf(1)).toBe(1500)
  expect(await world.job(young)).toMatchObject({ status: 'succeeded', strippedAt: null })
  expect((await world.job(waiting)).status).toBe('queued')
})

test('one turn removes all that is past its retention, however much there is, and walks on over what is kept', async () => {
  const turnMs = 3_600_000
  // Every hundredth job was cancelled, and cancelled jobs are kept: no batch is full of jobs to remove.
  await world.database.pool.query(
    `INSERT INTO queue.jobs (id, kind, payload, status, created_at, finished_at)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '1',
            (CASE n % 100 WHEN 0 THEN 'cancelled' ELSE 'succeeded' END)::queue.job_status,
            now() - interval '3 days', now() - interval '3 days'
       FROM generate_series(1, 23000) AS n`,
  )
  // A counter for each key, as limits of each key leave them.
  await world.database.pool.query(
    `INSERT INTO queue.limit_counters (queue, scope, name, running, spent_until)
     SELECT 'default', 'key', n::text, 0, now() - interval '1 hour' FROM generate_series(1, 2500) AS n`,
  )
  await world.work(() => undefined, {
    retentionSucceededMs: 2 * dayMs,
    retentionCancelledMs: 0,
    retentionIntervalMs: turnMs,
  })
  const count = async (status: string): Promise<number> => {
    const text = 'SELECT count(*)::int AS count FROM queue.all_jobs WHERE status = $1'
    return (await world.database.pool.query<{ count: number }>(text, [status])).rows[0]?.count ?? 0
  }
  await eventually(async () => (await count('succeeded')) === 0)
  expect(await count('cancelled')).toBe(230)
  await eventually(async () => {
    const text = 'SELECT FROM queue.limit_counters'
    return (await world.database.pool.query(text)).rowCount === 0
  })
})
