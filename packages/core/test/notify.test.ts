import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler, until } from '@queue/dev-postgres'
import fc from 'fast-check'
import { compiler } from '@queue/postgres'
import { seeded } from '@queue/dev-postgres'
import type { QueueDatabase } from '../src/database/connect.ts'
import {
  createNotifier,
  decodeNotification,
  encodeNotification,
  type Notification,
  notifyApart,
  notifyChannel,
} from '../src/database/notifications.ts'
import { createQueue, type Queue } from '../src/queue.ts'
import { probe } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

/** What is heard on the channel of the schema from now on. */
async function listening(): Promise<string[]> {
  const listener = await world.session()
  const heard: string[] = []
  listener.on('notification', ({ payload = '' }) => heard.push(payload))
  await listener.query(`LISTEN "${notifyChannel('queue')}"`)
  return heard
}

const queueNotification = (queue: string): Notification => ({ type: 'queue', queue })

describe('the payload of a notification', () => {
  test('survives the trip through a notification, whatever it says', () => {
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

  test('of a stranger is one that harms nobody', () => {
    fc.assert(
      fc.property(fc.string(), (payload) => {
        expect(['queue', 'rescan', 'cancel']).toContain(decodeNotification(payload).type)
      }),
      seeded('strange notifications'),
    )
  })
})

describe('a notification', () => {
  test('is sent once for each, all of them in one statement', async () => {
    const heard = await listening()
    await notifyApart(world.database, [
      queueNotification('a'),
      { type: 'rescan', queue: 'b' },
      queueNotification('a'),
    ])
    await until('both are heard', async () => heard.length >= 2)
    expect(heard).toEqual(['a', '!b'])
  })

  test('of a transaction that is rolled back is never heard', async () => {
    const heard = await listening()
    const session = await world.session()
    await session.query('BEGIN')
    await world.queue.enqueue(probe, {}, { queue: 'rolled-back', transaction: session })
    await session.query('ROLLBACK')
    await notifyApart(world.database, [queueNotification('real')])
    await until('the real one is heard', async () => heard.includes('real'))
    expect(heard).toEqual(['real'])
  })

  test('follows an enqueue of what is due now, and not one of what is for later', async () => {
    const heard = await listening()
    await world.queue.enqueue(probe, {}, { queue: 'later', delayMs: 60_000 })
    await world.queue.enqueue(probe, {}, { queue: 'silent', notify: false })
    await world.queue.enqueue(probe, {}, { queue: 'now' })
    await until('the enqueue is heard', async () => heard.includes('now'))
    expect(heard).toEqual(['now'])
  })
})

describe('the notifier', () => {
  /** A database whose sends end when the test lets them, and what was sent in each. */
  function heldDatabase() {
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

  test('sends what is told while one send is on its way with the next, each notification once', async () => {
    const { sends, notifier } = heldDatabase()
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
    const { sends, notifier } = heldDatabase()
    notifier.tell([queueNotification('lost')])
    sends[0]?.end(new Error('the database is gone'))
    await notifier.drained()
    notifier.tell([queueNotification('kept')])
    expect(sends.map((send) => send.notifications)).toEqual([['lost'], ['kept']])
    sends[1]?.end()
    await notifier.drained()
  })

  test('lets one write at a time take its notifications along, and tells those of the others once they are made', async () => {
    const { sends, notifier } = heldDatabase()
    const carried: boolean[] = []
    const write = (made: Promise<void>) => async (follower: unknown) => {
      carried.push(follower !== undefined)
      await made
    }
    const { promise: made, resolve: make } = Promise.withResolvers<void>()
    const first = notifier.carry([queueNotification('a')], write(made))
    await notifier.carry([queueNotification('b')], write(Promise.resolve()))
    await notifier.carry([queueNotification('c')], write(Promise.resolve()))
    make()
    await first
    // The notification of the second is on its way.
    await notifier.carry([queueNotification('d')], write(Promise.resolve()))
    expect(carried).toEqual([true, false, false, false])
    sends[0]?.end()
    await until('the next send begins', async () => sends.length === 2)
    expect(sends.map((send) => send.notifications)).toEqual([['b'], ['c', 'd']])
    sends[1]?.end()
    await notifier.drained()
    await notifier.carry([queueNotification('e')], write(Promise.resolve()))
    await notifier.carry([], write(Promise.resolve()))
    expect(carried.slice(4)).toEqual([true, false])
    expect(sends).toHaveLength(2)
  })

  test('lets the next write take its notifications along after one that has failed', async () => {
    const { sends, notifier } = heldDatabase()
    const failing = notifier.carry([queueNotification('a')], () => Promise.reject(new Error('refused')))
    await expect(failing).rejects.toThrow('refused')
    await notifier.carry([queueNotification('b')], async (follower) => {
      expect(follower).toBeDefined()
    })
    expect(sends).toEqual([])
  })

  test('sends nothing when it is told nothing', async () => {
    const { sends, notifier } = heldDatabase()
    notifier.tell([])
    await notifier.drained()
    expect(sends).toEqual([])
  })

  test('is waited for when its queue is closed', async () => {
    const heard = await listening()
    const queue = createQueue({ connectionString: world.url })
    await queue.enqueue(probe, {}, { queue: 'parting' })
    await queue.close()
    await until('the last notification is heard', async () => heard.includes('parting'))
  })
})

type Sending = readonly [string, { readonly preparedStatements?: boolean }]

const pipelined: readonly Sending[] = skippedBehindPooler('prepared statements belong to a session')
  ? []
  : [['several statements on their way at once', { preparedStatements: true }]]

describe.each<Sending>([['one statement after the other', {}], ...pipelined])(
  'the notification of an enqueue over %s',
  (...[, options]) => {
    let queue: Queue
    beforeEach(() => {
      queue = createQueue({ connectionString: world.url, poolMax: 1, ...options })
    })
    afterEach(() => queue.close())

    test('is heard when the job can be seen, and not before', async () => {
      const heard = await listening()
      const locker = await world.session()
      await locker.query('BEGIN; LOCK TABLE queue.jobs IN SHARE ROW EXCLUSIVE MODE')
      const enqueued = queue.enqueue(probe, {}, { queue: 'held-up' })
      await until('the insert waits', async () => (await waiting()) > 0)
      await notifyApart(world.database, [queueNotification('other')])
      await until('the other notification is heard', async () => heard.length > 0)
      expect(heard).toEqual(['other'])
      await locker.query('COMMIT')
      await enqueued
      await until('the notification is heard', async () => heard.length > 1)
      expect(heard).toEqual(['other', 'held-up'])
    })

    test('is heard after each of many enqueues at once', async () => {
      const heard = await listening()
      const names = Array.from({ length: 20 }, (_, n) => `queue-${n}`)
      await Promise.all(names.map((name) => queue.enqueue(probe, {}, { queue: name, idempotencyKey: name })))
      await until('all are heard', async () => new Set(heard).size === names.length)
    })

    test('leaves the connection as it was where the insert is refused', async () => {
      const refused = { ...probe.create({}), priority: 77 }
      for (let n = 0; n < 3; n += 1) {
        await expect(queue.enqueueMany([refused])).rejects.toMatchObject({ code: 'invalid_job' })
        expect(await queue.enqueue(probe, {})).toMatchObject({ replayed: false })
      }
      expect((await queue.list()).jobs).toHaveLength(3)
    })

    test('is heard though the connection of the insert broke, and the job is there once', async () => {
      const heard = await listening()
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
      await until('the notification is heard', async () => heard.includes('cut'))
      expect((await queue.list()).jobs).toEqual([job])
    })
  },
)

/** How many sessions of this database wait for a lock. */
async function waiting(): Promise<number> {
  const rows = await world.sql(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.length
}
