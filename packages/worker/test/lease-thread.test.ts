import { Worker as Thread } from 'node:worker_threads'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { connect, renewWorkerLease } from '@queue/core/internal'
import {
  eventually,
  insertWorker,
  leastOfTries,
  type RecordingLogger,
  recordLogger,
  startDatabaseProxy,
} from '@queue/test-database'
import { monotonicMs } from '@queue/loop'
import { LeaseThread } from '../src/lease-thread/start-lease-thread.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const leaseMs = 60_000
const threads: LeaseThread[] = []
const lost: string[] = []

afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.stop()))
  lost.length = 0
})

/** A lease thread with frequent heartbeats, and its logger. */
function create(
  connectionString = world.database.urlAs('worker'),
  heartbeatMs = 50,
): { thread: LeaseThread; logger: RecordingLogger } {
  const logger = recordLogger()
  const thread = new LeaseThread({
    connection: { connectionString },
    logger,
    heartbeatMs,
    stallMs: 0,
    onLost: (workerId) => lost.push(workerId),
  })
  threads.push(thread)
  return { thread, logger }
}

function adopt(thread: LeaseThread, id: string): void {
  const renewal = renewWorkerLease(connect({ pool: world.database.pool }), { id, leaseMs })
  thread.adopt({ workerId: id, renewal })
}

/** The number of renewals since then. A renewal is a heartbeat in the registry. */
async function renewedSince(thread: LeaseThread, sinceMs: number): Promise<void> {
  await eventually(() => thread.renewedMs() > sinceMs, { what: 'a renewal' })
}

describe('the lease thread', () => {
  test('renews the lease of its worker on one connection', async () => {
    const id = await insertWorker(world.database, { leaseMs: 1 })
    const { thread } = create()
    await thread.start()
    adopt(thread, id)
    await renewedSince(thread, 0)
    await renewedSince(thread, monotonicMs())

    const { rows } = await world.database.pool.query(
      'SELECT extract(epoch FROM lease_expires_at - heartbeat_at)::int AS seconds FROM queue.workers WHERE id = $1',
      [id],
    )
    expect(rows).toEqual([{ seconds: leaseMs / 1_000 }])
    const connections = await world.database.pool.query(
      "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'queue-lease'",
    )
    expect(connections.rows).toEqual([{ count: 1 }])
  })

  test('reports that a worker was marked lost, and never makes it active again', async () => {
    const id = await insertWorker(world.database, { state: 'lost' })
    const { thread } = create()
    await thread.start()
    adopt(thread, id)
    await eventually(() => lost.includes(id))

    const { rows } = await world.database.pool.query('SELECT state FROM queue.workers WHERE id = $1', [id])
    expect(rows).toEqual([{ state: 'lost' }])
    expect(thread.renewedMs()).toBe(0)
  })

  test('renews for the last worker that was set', async () => {
    const [first, second] = [await insertWorker(world.database), await insertWorker(world.database)]
    const { thread } = create()
    await thread.start()
    adopt(thread, first)
    await renewedSince(thread, 0)
    adopt(thread, second)
    await world.database.pool.query("UPDATE queue.workers SET state = 'lost' WHERE id = $1", [first])
    await renewedSince(thread, monotonicMs())
    await renewedSince(thread, monotonicMs())

    expect(lost).not.toContain(second)
  })

  test('is restarted when it dies, and renews for the same worker', async () => {
    const id = await insertWorker(world.database)
    const { thread } = create()
    await thread.start()
    const postMessage = jest.spyOn(Thread.prototype, 'postMessage')
    adopt(thread, id)
    const [first] = postMessage.mock.contexts as Thread[]
    postMessage.mockRestore()
    await renewedSince(thread, 0)
    await first?.terminate()
    await renewedSince(thread, monotonicMs())

    expect(lost).toEqual([])
  })

  test('survives the loss of its connection', async () => {
    const id = await insertWorker(world.database)
    const { thread } = create()
    await thread.start()
    adopt(thread, id)
    await renewedSince(thread, 0)
    await world.database.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'queue-lease' AND datname = current_database()",
    )
    await renewedSince(thread, monotonicMs())
    expect(lost).toEqual([])
  })

  test('is blocked by a peer that does not answer for less than the lease of three heartbeats', async () => {
    const heartbeatMs = 1_000
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    const id = await insertWorker(world.database)
    const { thread } = create(proxy.url, heartbeatMs)
    await thread.start()
    adopt(thread, id)
    await renewedSince(thread, 0)
    const blockedMs = await leastOfTries(2.7 * heartbeatMs, async () => {
      // Right after a renewal no other one is in flight, whose answer would be counted by mistake.
      await renewedSince(thread, monotonicMs())
      proxy.freeze()
      const beforeMs = thread.renewedMs()
      await renewedSince(thread, beforeMs)
      return thread.renewedMs() - beforeMs
    })
    await thread.stop()
    await proxy.close()

    expect(blockedMs).toBeGreaterThan(1.4 * heartbeatMs)
    expect(blockedMs).toBeLessThan(2.7 * heartbeatMs)
  })

  test('renews the next worker on a new connection, because the last one was perhaps to an old primary', async () => {
    const pids = async (): Promise<unknown[]> => {
      const { rows } = await world.database.pool.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'queue-lease'`,
      )
      return rows.map(({ pid }) => pid)
    }
    const { thread } = create()
    await thread.start()
    const [first, second] = [await insertWorker(world.database), await insertWorker(world.database)]
    adopt(thread, first)
    await renewedSince(thread, 0)
    const before = await pids()
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost' WHERE id = $1`, [first])
    await eventually(() => lost.includes(first))
    const beganAtMs = monotonicMs()
    adopt(thread, second)
    await renewedSince(thread, beganAtMs)
    await eventually(async () => (await pids()).length === 1)
    expect(await pids()).not.toEqual(before)
  })

  test('logs once that the database cannot be reached, and keeps trying', async () => {
    const { thread, logger } = create('postgres://nobody@127.0.0.1:1/nowhere')
    await thread.start()
    adopt(thread, 'nobody')
    await eventually(() => logger.lines.length > 0)
    await thread.stop()

    expect(logger.lines).toMatchObject([
      { level: 'warn', message: 'the lease could not be renewed; trying again' },
    ])
    expect(lost).toEqual([])
  })

  test('logs each reason in an outage: the first is often only that the connection broke', async () => {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    const id = await insertWorker(world.database)
    const { thread, logger } = create(proxy.url)
    await thread.start()
    adopt(thread, id)
    await renewedSince(thread, 0)
    proxy.freeze()
    await eventually(() => logger.lines.length > 0)
    await proxy.close()
    await eventually(() =>
      logger.lines.some(({ fields }) => String(fields['error']).includes('ECONNREFUSED')),
    )
    await thread.stop()

    const reasons = logger.lines.map(({ fields }) => fields['error'])
    expect(new Set(reasons).size).toBe(reasons.length)
  })

  test('can be stopped before its start, and twice', async () => {
    const { thread } = create()
    await thread.stop()
    await thread.stop()
  })
})
