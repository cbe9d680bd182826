import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { InvalidInput } from '@queue/core'
import { skippedBehindPooler } from '@queue/test-database'
import { eventually } from '@queue/testing'
import {
  createOutboxWorker,
  DispatchAborted,
  type OutboxWorkerOptions,
  TargetUnavailable,
  Undeliverable,
} from '../src/index.ts'
import { leaseMsOf, parseConfig } from '../src/worker/config.ts'
import { noObserver } from '../src/worker/observer.ts'
import { recordOutcomes } from './support/outcomes.ts'
import { openWorld, recordingTarget } from './support/world.ts'

const world = await openWorld()
beforeEach(() => world.reset())
afterAll(() => world.close())

const testListening = skippedBehindPooler('LISTEN belongs to a session') ? test.skip : test

const testConnections = skippedBehindPooler('a pooler keeps its connections') ? test.skip : test

const forEverMs = 3_600_000
/** Starts a relay that retries at once. */
const eager = { retryBaseDelay: 1, retryMaxDelay: 1 }

async function allDelivered(ids: readonly string[]): Promise<void> {
  await eventually(async () => {
    const stored = await Promise.all(ids.map((id) => world.outbox.get(id)))
    return stored.every((message) => message?.deliveredAt instanceof Date)
  })
}

describe('the configuration', () => {
  test('has the documented defaults', () => {
    expect(parseConfig({})).toMatchObject({
      pollInterval: 100,
      batchSize: 10,
      maxAttempts: 5,
      retryBaseDelay: 1_000,
      retryMaxDelay: 300_000,
      jitter: true,
      minCycleDelay: 5,
      dispatchTimeout: 30_000,
      concurrency: 1,
    })
  })

  test.each([
    [{ pollInterval: 0 }, 'pollInterval'],
    [{ batchSize: 1.5 }, 'batchSize'],
    [{ maxAttempts: 0 }, 'maxAttempts'],
    [{ retryBaseDelay: 2_000, retryMaxDelay: 1_000 }, 'retryMaxDelay'],
    [{ dispatchTimeout: Number.POSITIVE_INFINITY }, 'dispatchTimeout'],
    [{ concurrency: 0 }, 'concurrency'],
    [{ pollIntervall: 1 }, 'pollIntervall'],
  ])('%j is refused at construction with its name', (config, name) => {
    const options = { connectionString: world.urlAs('relay'), target: recordingTarget(), config }
    const create = (): unknown => createOutboxWorker(options as OutboxWorkerOptions)
    expect(create).toThrow(InvalidInput)
    expect(create).toThrow(name)
  })

  test('has a lease that is long enough for the timeouts of all dispatches of a batch', () => {
    expect(leaseMsOf({ batchSize: 10, concurrency: 1, dispatchTimeout: 30_000 })).toBe(305_000)
    expect(leaseMsOf({ batchSize: 10, concurrency: 4, dispatchTimeout: 1_000 })).toBe(8_000)
    expect(leaseMsOf({ batchSize: 10, concurrency: 100, dispatchTimeout: 1_000 })).toBe(6_000)
  })

  test('of a target without a topic is refused', () => {
    const target = recordingTarget(undefined, [])
    expect(() => createOutboxWorker({ connectionString: world.urlAs('relay'), target })).toThrow('no topic')
  })
})

describe('a relay', () => {
  test.each([
    { concurrency: 1, batchSize: 10 },
    { concurrency: 8, batchSize: 3 },
  ])('delivers every message once: %j', async (config) => {
    const ids = await world.publish(100)
    const target = recordingTarget()
    const { metrics, outcomes } = recordOutcomes()
    await world.relay({ target, metrics, config: { ...config, minCycleDelay: 0 } })
    await allDelivered(ids)
    expect(target.received.map((message) => message.id).toSorted()).toEqual(ids)
    await eventually(() => outcomes.length === 100)
    expect(new Set(outcomes)).toEqual(new Set(['delivered']))
  })

  test('removes in one turn all that is past its retention, however much there is', async () => {
    await world.sql(
      `INSERT INTO outbox.outbox_messages (id, topic, payload, delivered_at)
       SELECT ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'probe', '{}', now() - interval '2 days'
         FROM generate_series(1, 21500) AS n`,
    )
    const config = { retention: 86_400_000, retentionInterval: forEverMs }
    await world.relay({ target: recordingTarget(), config })
    await eventually(async () => {
      const [row] = await world.sql('SELECT count(*)::int AS left FROM outbox.outbox_messages')
      return row?.['left'] === 0
    })
  })

  test('runs up to `concurrency` dispatches at the same time', async () => {
    const gate = Promise.withResolvers<void>()
    const target = recordingTarget(() => gate.promise)
    const relay = await world.relay({ target, config: { concurrency: 3, batchSize: 10 } })
    const ids = await world.publish(10)
    await eventually(() => target.received.length === 3)
    expect(relay.running).toBe(3)
    gate.resolve()
    await allDelivered(ids)
  })

  testListening('is notified of a message at its commit, without waiting for the next poll', async () => {
    const target = recordingTarget()
    const health: string[] = []
    await world.relay({
      target,
      config: { pollInterval: forEverMs },
      metrics: { ...recordOutcomes().metrics, listenerHealthy: (state) => health.push(state) },
    })
    await eventually(() => health.includes('healthy'))
    // The first message may be found by the poll that follows the listener's start; the second only by its
    // notification.
    for (const expected of [1, 2]) {
      await world.publish(1)
      await eventually(() => target.received.length === expected)
    }
  })

  test('finds messages by polling without notifications', async () => {
    const target = recordingTarget()
    await world.relay({ target, config: { notifications: false, pollInterval: 10 } })
    const ids = await world.publish(1)
    await allDelivered(ids)
  })

  test('retries after a failure, and gives up after the last attempt', async () => {
    const [id = ''] = await world.publish(1)
    const { metrics, outcomes } = recordOutcomes()
    const target = recordingTarget(() => {
      throw new Error('no')
    })
    await world.relay({ target, metrics, config: { ...eager, pollInterval: 5, maxAttempts: 3 } })
    const deadLetter = await eventually(() => world.outbox.deadLetters.get(id))
    expect(deadLetter).toMatchObject({
      attempts: 3,
      reason: 'exhausted',
      lastError: expect.stringContaining('no'),
    })
    expect(deadLetter.history).toHaveLength(3)
    await eventually(() => outcomes.length === 3)
    expect(outcomes).toEqual(['failed', 'failed', 'dead_letter'])
  })

  test('aborts a dispatch that takes too long: the attempt has failed, and its signal has the reason', async () => {
    const reasons: unknown[] = []
    const [id = ''] = await world.publish(1)
    const target = recordingTarget(
      (_message, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason))),
    )
    await world.relay({ target, config: { dispatchTimeout: 50, maxAttempts: 1 } })
    const deadLetter = await eventually(() => world.outbox.deadLetters.get(id))
    expect(deadLetter.lastError).toContain('within 50 ms')
    expect(reasons).toEqual([expect.any(DispatchAborted)])
  })

  test('continues with other messages while a target ignores its timeout', async () => {
    const target = recordingTarget((message) =>
      message.payload !== null && (message.payload as { n: number }).n === 0
        ? new Promise(() => undefined)
        : undefined,
    )
    const [hung = '', ...otherIds] = await world.publish(5)
    await world.relay({ target, config: { dispatchTimeout: 50, maxAttempts: 1 } })
    await allDelivered(otherIds)
    expect(await eventually(() => world.outbox.deadLetters.get(hung))).toMatchObject({ reason: 'exhausted' })
  })

  testConnections('outlives every connection of it being ended', async () => {
    const target = recordingTarget()
    await world.relay({ target, config: { pollInterval: 10 } })
    await allDelivered(await world.publish(1))
    await world.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name IN ('queue-outbox', 'queue-listener')`,
    )
    await allDelivered(await world.publish(1))
  })

  test('does not start without the schema, and names the command to run', async () => {
    const relay = createOutboxWorker({
      connectionString: world.url,
      schema: 'nowhere',
      target: recordingTarget(),
    })
    await expect(relay.start()).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('migrateOutbox'),
    })
    await relay.stop()
  })
})

describe('a message that cannot be delivered', () => {
  test('a message without a handler is left untouched for a relay that has one', async () => {
    const [id = ''] = await world.publish(1)
    const otherTarget = recordingTarget(undefined, ['other'])
    await world.relay({ target: otherTarget, config: { pollInterval: 5 } })
    const known = await inOther(async () => world.outbox.get(id))
    expect(known).toMatchObject({ attempts: 0, leasedBy: null, history: [] })
    const target = recordingTarget()
    await world.relay({ target })
    await allDelivered([id])
    expect(otherTarget.received.map((message) => message.topic)).toEqual(['other'])
  })

  /** Runs `body` after the relay of `other` has delivered a message, and has therefore polled. */
  async function inOther<Result>(body: () => Promise<Result>): Promise<Result> {
    await world.sql(
      `INSERT INTO outbox.outbox_messages (id, topic, payload) VALUES (gen_random_uuid(), 'other', '{}')`,
    )
    await eventually(async () => {
      const rows = await world.sql(
        `SELECT FROM outbox.outbox_messages WHERE topic = 'other' AND delivered_at IS NOT NULL`,
      )
      return rows.length === 1
    })
    return body()
  }

  test('undeliverable messages at the head are dead-lettered at once, and starve nobody', async () => {
    const failingIds = await world.publish(30)
    const deliverableIds = await world.publish(5)
    const target = recordingTarget((message) => {
      if (failingIds.includes(message.id)) throw new Undeliverable('it does not parse')
    })
    await world.relay({ target, config: { batchSize: 10 } })
    await allDelivered(deliverableIds)
    // Deliveries and dead letters are recorded by separate statements, in any order.
    const { deadLetters } = await eventually(async () => {
      const page = await world.outbox.deadLetters.list({ limit: 100 })
      return page.deadLetters.length >= failingIds.length && page
    })
    expect(deadLetters.map((deadLetter) => deadLetter.id).toSorted()).toEqual(failingIds)
    expect(
      deadLetters.every((deadLetter) => deadLetter.attempts === 1 && deadLetter.reason === 'undeliverable'),
    ).toBe(true)
    expect(target.received).toHaveLength(35)
  })

  test('a late relay cannot overwrite the record of another one', async () => {
    const [id = ''] = await world.publish(1)
    const gate = Promise.withResolvers<void>()
    const { metrics, outcomes } = recordOutcomes()
    const late = recordingTarget(() => gate.promise)
    await world.relay({ target: late, metrics })
    await eventually(() => late.received.length === 1)
    await world.makeDue()
    const prompt = recordingTarget()
    await world.relay({ target: prompt })
    await allDelivered([id])
    const before = await world.sql('SELECT * FROM outbox.outbox_messages')
    gate.resolve()
    await eventually(() => outcomes.length === 1)
    expect(outcomes).toEqual(['lost'])
    expect(await world.sql('SELECT * FROM outbox.outbox_messages')).toEqual(before)
  })

  test('a message whose relay died on its last attempt is dead-lettered by the next one', async () => {
    const [id = ''] = await world.publish(1)
    await world.claim({ maxAttempts: 1 })
    await world.makeDue()
    await world.relay({ target: recordingTarget(), config: { maxAttempts: 1 } })
    expect(await eventually(() => world.outbox.deadLetters.get(id))).toMatchObject({ reason: 'lost' })
  })

  test('a stop returns what was not begun, uncharged and at once, and dispatches none of it', async () => {
    const ids = await world.publish(10)
    const gate = Promise.withResolvers<void>()
    const target = recordingTarget((_message, { signal }) => {
      expect(signal.aborted).toBe(false)
      return gate.promise
    })
    const relay = await world.relay({ target, config: { batchSize: 10, concurrency: 1 } })
    await eventually(() => target.received.length === 1)
    const [begun = '', ...returnedIds] = ids
    const stopped = relay.stop()
    await eventually(async () => {
      const returned = await Promise.all(returnedIds.map((id) => world.outbox.get(id)))
      return returned.every((message) => message?.attempts === 0 && message.leasedBy === null)
    })
    const secondTarget = recordingTarget()
    await world.relay({ target: secondTarget })
    await allDelivered(returnedIds)
    gate.resolve()
    await stopped
    await allDelivered([begun])
    expect(target.received.map((message) => message.id)).toEqual([begun])
    expect(secondTarget.received).toHaveLength(9)
  })
})

/** Values that cannot be examined without an exception. */
const oddThrows: Readonly<Record<string, () => unknown>> = {
  'a revoked Proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  'an object whose members throw': () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error('no member')
        },
        getPrototypeOf: () => {
          throw new Error('no prototype')
        },
      },
    ),
  nothing: () => undefined,
}

test.each(Object.entries(oddThrows))(
  'a thrown %s fails the attempt, and the relay goes on',
  async (_, thrown) => {
    const [id = ''] = await world.publish(1)
    const target = recordingTarget((message) => {
      if (message.id === id) throw thrown()
      return Promise.resolve()
    })
    await world.relay({ target, config: { maxAttempts: 1 } })
    expect(await eventually(() => world.outbox.deadLetters.get(id))).toMatchObject({ reason: 'exhausted' })
    await allDelivered(await world.publish(1))
  },
)

describe('a stop', () => {
  test('aborts a dispatch that outlives the grace time, without counting the attempt', async () => {
    const [id = ''] = await world.publish(1)
    const target = recordingTarget(
      (_message, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const { metrics, outcomes } = recordOutcomes()
    const relay = await world.relay({ target, metrics, config: { shutdownGrace: 0, maxAttempts: 1 } })
    await eventually(() => target.received.length === 1)
    await relay.stop()
    expect(await world.outbox.get(id)).toMatchObject({ attempts: 0, leasedBy: null, deliveredAt: null })
    expect(outcomes).toEqual(['released'])
  })

  test('does not wait for a target that ignores its signal, and returns its message', async () => {
    const [id = ''] = await world.publish(1)
    const target = recordingTarget(() => new Promise(() => undefined))
    const relay = await world.relay({ target, config: { shutdownGrace: 0 } })
    await eventually(() => target.received.length === 1)
    await relay.stop()
    expect(await world.outbox.get(id)).toMatchObject({ attempts: 0, leasedBy: null })
  })

  test('leaves the key of a target that ignores its signal to it until the lease ends, uncharged', async () => {
    const [id = '', next = ''] = await world.publish(2, { key: 'k' })
    const target = recordingTarget(() => new Promise(() => undefined))
    const relay = await world.relay({ target, config: { shutdownGrace: 0, maxAttempts: 1 } })
    await eventually(() => target.received.length === 1)
    await relay.stop()
    expect(await world.outbox.get(id)).toMatchObject({ attempts: 0, leasedBy: null, history: [] })
    expect((await world.claim()).messages).toEqual([])
    await world.makeDue()
    const secondTarget = recordingTarget()
    await world.relay({ target: secondTarget })
    await allDelivered([id, next])
    expect(secondTarget.received.map((message) => message.id)).toEqual([id, next])
    expect(await world.outbox.get(id)).toMatchObject({ attempts: 1, history: [], lastError: null })
  })

  test('records a delivery that ends within the grace time', async () => {
    const [id = ''] = await world.publish(1)
    const gate = Promise.withResolvers<void>()
    const target = recordingTarget(() => gate.promise)
    const relay = await world.relay({ target })
    await eventually(() => target.received.length === 1)
    const stopped = relay.stop()
    gate.resolve()
    await stopped
    expect(await world.outbox.get(id)).toMatchObject({ deliveredAt: expect.any(Date) })
  })

  test('of an idle relay is immediate, and can be called twice and before the start', async () => {
    const relay = await world.relay({ target: recordingTarget(), config: { pollInterval: forEverMs } })
    await Promise.all([relay.stop(), relay.stop()])
    await expect(relay.start()).rejects.toThrow('stopped')
    const unstarted = createOutboxWorker({
      connectionString: world.urlAs('relay'),
      target: recordingTarget(),
    })
    await unstarted.stop()
  })

  test('during the start gives it up: nothing is claimed', async () => {
    const [id = ''] = await world.publish(1)
    const claims: unknown[] = []
    const relay = createOutboxWorker({
      connectionString: world.urlAs('relay'),
      target: recordingTarget(),
      metrics: { ...noObserver, claimed: (claim) => claims.push(claim) },
    })
    const started = relay.start()
    await relay.stop()
    await started
    expect(claims).toEqual([])
    expect(await world.outbox.get(id)).toMatchObject({ attempts: 0, leasedBy: null })
  })
})

describe('a target that is unavailable', () => {
  test('costs no attempt, and is asked by one message at a time until it is back', async () => {
    const ids = await world.publish(20)
    let atOnce = 0
    let maxRunning = 0
    let open = false
    let refused = 0
    const target = recordingTarget(async () => {
      atOnce += 1
      if (refused > 4) maxRunning = Math.max(maxRunning, atOnce)
      await Promise.resolve()
      atOnce -= 1
      if (open) return
      refused += 1
      throw new TargetUnavailable('closed')
    })
    await world.relay({ target, config: { ...eager, concurrency: 4, maxAttempts: 1 } })
    await eventually(() => refused > 5)
    const waiting = await Promise.all(ids.map((id) => world.outbox.get(id)))
    expect(maxRunning).toBe(1)
    expect(Math.max(...waiting.map((message) => message?.attempts ?? 0))).toBeLessThanOrEqual(1)
    open = true
    await allDelivered(ids)
    expect((await world.outbox.deadLetters.list()).deadLetters).toEqual([])
  })
})

describe('messages with a key', () => {
  test('are delivered in the order of their publication, whoever relays and whatever fails', async () => {
    const keys = ['a', 'b', 'c']
    for (let n = 0; n < 10; n += 1) for (const key of keys) await world.publish(1, { key })
    const delivered = new Map<string | null, string[]>(keys.map((key) => [key, []]))
    let dispatches = 0
    const target = recordingTarget((message) => {
      dispatches += 1
      if (dispatches % 3 === 0) throw new Error('now and then')
      delivered.get(message.key)?.push(message.id)
    })
    const config = { ...eager, pollInterval: 5, minCycleDelay: 0, concurrency: 4, maxAttempts: 100 }
    await Promise.all([world.relay({ target, config }), world.relay({ target, config })])
    await eventually(async () => (await world.outbox.stats()).pending === 0)
    for (const key of keys) {
      const ids = delivered.get(key) ?? []
      expect(ids).toHaveLength(10)
      expect(ids).toEqual(ids.toSorted())
    }
  })
})
