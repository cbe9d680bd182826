import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded, skippedBehindPooler, until } from '@queue/dev-postgres'
import { compiler } from '@queue/postgres'
import fc from 'fast-check'
import type { QueueDatabase } from '../../src/database/connect.ts'
import {
  type Notification,
  createNotifier,
  decodeNotification,
  encodeNotification,
  notifyApart,
  notifyChannel,
} from '../../src/database/notifications.ts'
import { type Queue, createQueue } from '../../src/facade/queue.ts'
import { probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

/** Collects the payloads of the schema's notifications from now on. */
async function listen(): Promise<string[]> {
  const listener = await world.session()
  const payloads: string[] = []
  listener.on('notification', ({ payload = '' }) => payloads.push(payload))
  await listener.query(`LISTEN "${notifyChannel('queue')}"`)
  return payloads
}

const queueNotification = (queue: string): Notification => ({ type: 'queue', queue })

describe('the payload of a notification', () => {
  test('is read as it was written, whatever it contains', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,62}$/)
    const notifications: fc.Arbitrary<Notification> = fc.oneof(
      name.map((queue) => ({ type: 'queue' as const, queue })),
      name.map((queue) => ({ type: 'rescan' as const, queue })),
      fc.uuid().map((jobId) => ({ type: 'cancel' as const, jobId })),
      fc.constantFrom({ type: 'schedules' as const }, { type: 'operations' as const }),
    )
    fc.assert(
      fc.property(notifications, (notification) => {
        expect(decodeNotification(encodeNotification(notification))).toEqual(notification)
      }),
      seeded('notifications'),
    )
  })

  test('of another sender does no harm', () => {
    fc.assert(
      fc.property(fc.string(), (payload) => {
        expect(['queue', 'rescan', 'cancel']).toContain(decodeNotification(payload).type)
      }),
      seeded('strange notifications'),
    )
  })
})

describe('a notification', () => {
  test('is sent once for each queue, all in one statement', async () => {
    const payloads = await listen()
    await notifyApart(world.database, [
      queueNotification('a'),
      { type: 'rescan', queue: 'b' },
      queueNotification('a'),
    ])
    await until('both are received', async () => payloads.length >= 2)
    expect(payloads).toEqual(['a', '!b'])
  })

  test('of a rolled back transaction is never received', async () => {
    const payloads = await listen()
    const session = await world.session()
    await session.query('BEGIN')
    await world.queue.enqueue(probe, {}, { queue: 'rolled-back', transaction: session })
    await session.query('ROLLBACK')
    await notifyApart(world.database, [queueNotification('real')])
    await until('the real one is received', async () => payloads.includes('real'))
    expect(payloads).toEqual(['real'])
  })

  test('follows an enqueue of a due job, and not of a later one', async () => {
    const payloads = await listen()
    await world.queue.enqueue(probe, {}, { queue: 'later', delayMs: 60_000 })
    await world.queue.enqueue(probe, {}, { queue: 'silent', notify: false })
    await world.queue.enqueue(probe, {}, { queue: 'now' })
    await until('the enqueue is received', async () => payloads.includes('now'))
    expect(payloads).toEqual(['now'])
  })
})

describe('the notifier', () => {
  /** A notifier whose statements end when the test ends them, and the notifications of each. */
  function createHeldNotifier() {
    const sends: { readonly notifications: readonly string[]; readonly end: (error?: Error) => void }[] = []
    const database: QueueDatabase = {
      ...world.database,
      run: (statement) =>
        new Promise((resolve, reject) => {
          const [, notifications] = statement.compile(compiler).parameters as [string, string[]]
          sends.push({ notifications, end: (error) => (error === undefined ? resolve([]) : reject(error)) })
        }),
    }
    return { sends, notifier: createNotifier(database) }
  }

  test('sends notifications that come during a send with the next one, each once', async () => {
    const { sends, notifier } = createHeldNotifier()
    notifier.tell([queueNotification('a')])
    for (const name of ['b', 'a', 'b', 'c', 'b']) notifier.tell([queueNotification(name)])
    expect(sends.map((send) => send.notifications)).toEqual([['a']])
    sends[0]?.end()
    await until('the next send begins', async () => sends.length === 2)
    expect(sends[1]?.notifications).toEqual(['b', 'a', 'c'])
    sends[1]?.end()
    await notifier.drained()
    expect(sends).toHaveLength(2)
  })

  test('loses what cannot be sent, and goes on', async () => {
    const { sends, notifier } = createHeldNotifier()
    notifier.tell([queueNotification('lost')])
    sends[0]?.end(new Error('the database is gone'))
    await notifier.drained()
    notifier.tell([queueNotification('kept')])
    expect(sends.map((send) => send.notifications)).toEqual([['lost'], ['kept']])
    sends[1]?.end()
    await notifier.drained()
  })

  test('lets one write at a time carry its notifications, and sends those of the others after their writes', async () => {
    const { sends, notifier } = createHeldNotifier()
    const wasCarried: boolean[] = []
    const write = (written: Promise<void>) => async (follower: unknown) => {
      wasCarried.push(follower !== undefined)
      await written
    }
    const { promise: written, resolve: commit } = Promise.withResolvers<void>()
    const first = notifier.carry([queueNotification('a')], write(written))
    await notifier.carry([queueNotification('b')], write(Promise.resolve()))
    await notifier.carry([queueNotification('c')], write(Promise.resolve()))
    commit()
    await first
    // The notification of the second write is being sent.
    await notifier.carry([queueNotification('d')], write(Promise.resolve()))
    expect(wasCarried).toEqual([true, false, false, false])
    sends[0]?.end()
    await until('the next send begins', async () => sends.length === 2)
    expect(sends.map((send) => send.notifications)).toEqual([['b'], ['c', 'd']])
    sends[1]?.end()
    await notifier.drained()
    await notifier.carry([queueNotification('e')], write(Promise.resolve()))
    await notifier.carry([], write(Promise.resolve()))
    expect(wasCarried.slice(4)).toEqual([true, false])
    expect(sends).toHaveLength(2)
  })

  test('lets the next write carry its notifications after one that failed', async () => {
    const { sends, notifier } = createHeldNotifier()
    const failing = notifier.carry([queueNotification('a')], () => Promise.reject(new Error('refused')))
    await expect(failing).rejects.toThrow('refused')
    await notifier.carry([queueNotification('b')], async (follower) => {
      expect(follower).toBeDefined()
    })
    expect(sends).toEqual([])
  })

  test('sends nothing for no notifications', async () => {
    const { sends, notifier } = createHeldNotifier()
    notifier.tell([])
    await notifier.drained()
    expect(sends).toEqual([])
  })

  test('finishes its sends before its queue is closed', async () => {
    const payloads = await listen()
    const queue = createQueue({ connectionString: world.url })
    await queue.enqueue(probe, {}, { queue: 'parting' })
    await queue.close()
    await until('the last notification is received', async () => payloads.includes('parting'))
  })
})

type EnqueueMode = readonly [string, { readonly preparedStatements?: boolean }]

const pipelined: readonly EnqueueMode[] = skippedBehindPooler('prepared statements belong to a session')
  ? []
  : [['several statements on their way at once', { preparedStatements: true }]]

describe.each<EnqueueMode>([['one statement after the other', {}], ...pipelined])(
  'the notification of an enqueue over %s',
  (...[, options]) => {
    let queue: Queue
    beforeEach(() => {
      queue = createQueue({ connectionString: world.url, poolMax: 1, ...options })
    })
    afterEach(() => queue.close())

    test('is received when the job is visible, and not before', async () => {
      const payloads = await listen()
      const locker = await world.session()
      await locker.query('BEGIN; LOCK TABLE queue.jobs IN SHARE ROW EXCLUSIVE MODE')
      const enqueued = queue.enqueue(probe, {}, { queue: 'held-up' })
      await until('the insert waits', async () => (await countLockWaits()) > 0)
      await notifyApart(world.database, [queueNotification('other')])
      await until('the other notification is received', async () => payloads.length > 0)
      expect(payloads).toEqual(['other'])
      await locker.query('COMMIT')
      await enqueued
      await until('the notification is received', async () => payloads.length > 1)
      expect(payloads).toEqual(['other', 'held-up'])
    })

    test('is received after each of many concurrent enqueues', async () => {
      const payloads = await listen()
      const names = Array.from({ length: 20 }, (_, n) => `queue-${n}`)
      await Promise.all(names.map((name) => queue.enqueue(probe, {}, { queue: name, idempotencyKey: name })))
      await until('all are received', async () => new Set(payloads).size === names.length)
    })

    test('leaves the connection usable when the insert is refused', async () => {
      const refused = { ...probe.create({}), priority: 77 }
      for (let n = 0; n < 3; n += 1) {
        await expect(queue.enqueueMany([refused])).rejects.toMatchObject({ code: 'invalid_job' })
        expect(await queue.enqueue(probe, {})).toMatchObject({ replayed: false })
      }
      expect((await queue.list()).jobs).toHaveLength(3)
    })

    test('is received although the connection of the insert broke, and the job exists once', async () => {
      const payloads = await listen()
      const locker = await world.session()
      await locker.query('BEGIN; LOCK TABLE queue.jobs IN SHARE ROW EXCLUSIVE MODE')
      const enqueued = queue.enqueue(probe, {}, { queue: 'cut' })
      await until('the insert waits, and its connection is cut', async () => {
        const cut = await world.sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT%'`,
        )
        return cut.length > 0
      })
      await locker.query('COMMIT')
      const { job } = await enqueued
      await until('the notification is received', async () => payloads.includes('cut'))
      expect((await queue.list()).jobs).toEqual([job])
    })
  },
)

/** How many sessions of this database wait for a lock, but for commits of notifications that wait for those of all databases. */
async function countLockWaits(): Promise<number> {
  const rows = await world.sql(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND wait_event <> 'object'`,
  )
  return rows.length
}
