import { Worker as Thread } from 'node:worker_threads'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { connect } from '@queue/core/schema'
import { renewWorkerLease } from '@queue/core/workers'
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

/** A lease thread of quick heartbeats, and the logger that it reports to. */
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
    deadlineMs: () => 0,
  })
  threads.push(thread)
  return { thread, logger }
}

function adopt(thread: LeaseThread, id: string): void {
  const renewal = renewWorkerLease(connect({ pool: world.database.pool }), { id, leaseMs })
  thread.adopt({ workerId: id, renewal })
}

/** How often the thread has renewed since: a renewal is one heartbeat in the registry. */
async function renewedSince(thread: LeaseThread, sinceMs: number): Promise<void> {
  await eventually(() => thread.renewedMs() > sinceMs, { what: 'a renewal' })
}

describe('the lease thread', () => {
  test('renews the lease of the worker that it was given, on one connection that it keeps', async () => {
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

  test('says of a worker that was marked lost that it is, and never makes it active again', async () => {
    const id = await insertWorker(world.database, { state: 'lost' })
    const { thread } = create()
    await thread.start()
    adopt(thread, id)
    await eventually(() => lost.includes(id))

    const { rows } = await world.database.pool.query('SELECT state FROM queue.workers WHERE id = $1', [id])
    expect(rows).toEqual([{ state: 'lost' }])
    expect(thread.renewedMs()).toBe(0)
  })

  test('renews for the worker that it was given last', async () => {
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

  test('is started again when it dies, and renews for the same worker', async () => {
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

  test('is held up by a peer that no longer answers for less than the lease of three heartbeats', async () => {
    const heartbeatMs = 1_000
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    const id = await insertWorker(world.database)
    const { thread } = create(proxy.url, heartbeatMs)
    await thread.start()
    adopt(thread, id)
    await renewedSince(thread, 0)
    const blockedMs = await leastOfTries(2.7 * heartbeatMs, async () => {
      // Just after a renewal no other one is under way, whose answer would count as one that came through the silence.
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

  test('says once that the database cannot be reached, and goes on trying', async () => {
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

  test('can be stopped before it was started, and twice', async () => {
    const { thread } = create()
    await thread.stop()
    await thread.stop()
  })
})
