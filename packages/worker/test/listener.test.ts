import { expect } from '@jest/globals'
import { encodeHint, type Hint, notifyChannel } from '@queue/core/runtime'
import { createListener, type ListenerHealth } from '@queue/loop'
import { eventually } from '@queue/testing'
import { testListening } from './support/listening.ts'
import { openProxy } from './support/tcp-proxy.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

testListening(
  'a listening connection that hears nothing any more, without a sign of it, is found out by its own ping and replaced',
  async () => {
    const proxy = await openProxy(world.database.url)
    const { database } = world.database.queue
    const channel = notifyChannel(database.schema)
    const health: ListenerHealth[] = []
    const hints: Hint[] = []
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
      onHint: (hint) => hints.push(hint),
      onGap: () => (gaps += 1),
      pingEveryMs: 50,
      pingTimeoutMs: 2_000,
    })
    const heard = async (): Promise<void> => {
      const { pool } = world.database
      const seen = hints.length
      await pool.query('SELECT pg_notify($1, $2)', [channel, encodeHint({ type: 'queue', queue: 'q' })])
      await eventually(() => hints.length > seen)
    }
    try {
      listener.start()
      await eventually(() => health.length === 1)
      await heard()
      // Many pings later it is still the first connection: whoever hears itself is left alone.
      await eventually(() => pings > 4)
      expect(health).toEqual(['healthy'])
      proxy.freeze()
      await eventually(() => health.length === 3)
      expect(health).toEqual(['healthy', 'unhealthy', 'healthy'])
      expect(gaps).toBe(2)
      const [line, ...more] = world.logger.lines
      expect(line).toMatchObject({
        level: 'warn',
        message: expect.stringContaining('polling until they are'),
      })
      expect(String(line?.fields['error'])).toContain('does not hear its own ping')
      expect(more).toEqual([])
      await heard()
    } finally {
      await listener.stop()
      await proxy.close()
    }
  },
)
