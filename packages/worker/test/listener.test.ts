import { describe, expect } from '@jest/globals'
import { notifyChannel, databaseOf } from '@queue/core/internal'
import { createListener, type ListenerHealth } from '@queue/postgres'
import { eventually, startDatabaseProxy } from '@queue/test-database'
import { testListening } from './support/listening.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

testListening(
  'a listening connection that hears nothing any more, without a sign of it, is found out by its own ping and replaced',
  async () => {
    const proxy = await startDatabaseProxy(world.database.url)
    const database = databaseOf(world.database.queue)
    const channel = notifyChannel(database.schema)
    const health: ListenerHealth[] = []
    const receivedPayloads: string[] = []
    let gaps = 0
    let pings = 0
    const listener = createListener({
      database: {
        run: (statement) => {
          pings += 1
          return database.run(statement)
        },
      },
      channel,
      connection: { connectionString: proxy.url },
      logger: world.logger,
      onHealth: (now) => health.push(now),
      onNotification: (payload) => receivedPayloads.push(payload),
      onGap: () => (gaps += 1),
      pingEveryMs: 50,
      // Long enough for a busy machine: a ping that is late would be a second break.
      pingTimeoutMs: 5_000,
    })
    const receiveNotification = async (): Promise<void> => {
      const { pool } = world.database
      const receivedBefore = receivedPayloads.length
      await pool.query('SELECT pg_notify($1, $2)', [channel, 'q'])
      await eventually(() => receivedPayloads.length > receivedBefore)
    }
    try {
      listener.start()
      await eventually(() => health.length === 1)
      await receiveNotification()
      // Many pings later the connection is still the first one, because it received its own pings.
      await eventually(() => pings > 4)
      expect(health).toEqual(['healthy'])
      proxy.freeze()
      await eventually(() => health.length === 3)
      expect(health).toEqual(['healthy', 'unhealthy', 'healthy'])
      expect(gaps).toBe(2)
      const [line, ...more] = world.logger.lines
      expect(line).toMatchObject({
        level: 'warn',
        message: expect.stringContaining('polling until they do'),
      })
      expect(String(line?.fields['error'])).toContain('no longer receives its own ping')
      expect(more).toEqual([])
      await receiveNotification()
    } finally {
      await listener.stop()
      await proxy.close()
    }
  },
)

testListening(
  'a listener is healthy once it has heard its own ping, and tries ever more seldom until then',
  async () => {
    const database = databaseOf(world.database.queue)
    const health: ListenerHealth[] = []
    const gapsMs: number[] = []
    let pings = 0
    // As behind a pooler in transaction mode: LISTEN succeeds, but no notification arrives.
    let isRedirected = true
    const listener = createListener({
      database: {
        run: (statement) => {
          pings += 1
          return isRedirected ? Promise.resolve([]) : database.run(statement)
        },
      },
      channel: notifyChannel(database.schema),
      connection: { connectionString: world.database.url },
      logger: world.logger,
      onHealth: (now) => health.push(now),
      onNotification: () => undefined,
      onGap: () => gapsMs.push(performance.now()),
      pingEveryMs: 60_000,
      pingTimeoutMs: 50,
    })
    try {
      listener.start()
      await eventually(() => pings === 3)
      expect(health).toEqual(['unhealthy'])
      // A timer is never early, even on a busy machine.
      const waitsMs = gapsMs.slice(1).map((gapMs, index) => gapMs - (gapsMs[index] ?? 0))
      expect(waitsMs[0]).toBeGreaterThan(400)
      expect(waitsMs[1]).toBeGreaterThan(800)
      isRedirected = false
      await eventually(() => health.length === 2)
      expect(health).toEqual(['unhealthy', 'healthy'])
    } finally {
      await listener.stop()
    }
  },
)

testListening(
  'a listening connection outlives the time after which the server ends idle sessions',
  async () => {
    const database = databaseOf(world.database.queue)
    const url = new URL(world.database.url)
    url.searchParams.set('options', '-c idle_session_timeout=50')
    const health: ListenerHealth[] = []
    let pings = 0
    const listener = createListener({
      database: {
        run: (statement) => {
          pings += 1
          return database.run(statement)
        },
      },
      channel: notifyChannel(database.schema),
      connection: { connectionString: url.href },
      logger: world.logger,
      onHealth: (now) => health.push(now),
      onNotification: () => undefined,
      onGap: () => undefined,
      pingEveryMs: 200,
    })
    try {
      listener.start()
      await eventually(() => pings > 4)
      expect(health).toEqual(['healthy'])
      expect(world.logger.lines).toEqual([])
    } finally {
      await listener.stop()
    }
  },
)

describe('a LISTEN that the network swallows', () => {
  /** A listener whose LISTEN gets no answer, and its reports of its health. */
  async function listenWithLostNotification(moment: 'before' | 'after', listenTimeoutMs: number) {
    const proxy = await startDatabaseProxy(world.database.url)
    const database = databaseOf(world.database.queue)
    const health: ListenerHealth[] = []
    const listener = createListener({
      database,
      channel: notifyChannel(database.schema),
      connection: { connectionString: proxy.url },
      logger: world.logger,
      onHealth: (now) => health.push(now),
      onNotification: () => undefined,
      onGap: () => undefined,
      listenTimeoutMs,
    })
    const silent = proxy.silenceAt(moment, 'LISTEN')
    listener.start()
    await silent
    return { listener, health, proxy }
  }

  testListening.each(['before', 'after'] as const)(
    '%s it reaches the server is given up after its time, said so, and sent again on another connection',
    async (moment) => {
      const { listener, health, proxy } = await listenWithLostNotification(moment, 200)
      try {
        await eventually(() => health.at(-1) === 'healthy')
        expect(health).toEqual(['unhealthy', 'healthy'])
        expect(world.logger.lines).toMatchObject([
          { level: 'warn', message: expect.stringContaining('polling until they do') },
        ])
      } finally {
        await listener.stop()
        await proxy.close()
      }
    },
  )

  testListening('does not prevent its owner from stopping', async () => {
    const { listener, proxy } = await listenWithLostNotification('before', 3_600_000)
    try {
      let isStopped = false
      void listener.stop().then(() => (isStopped = true))
      await eventually(() => isStopped)
    } finally {
      await proxy.close()
    }
  })
})
