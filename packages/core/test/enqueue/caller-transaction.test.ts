import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { CallerTransaction, PgClient } from '@queue/postgres'
import { CamelCasePlugin, Kysely, ParseJSONResultsPlugin, PostgresDialect } from 'kysely'
import pg from 'pg'
import { ClaimMemory } from '../../src/claims/claim-memory.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import type { Job } from '../../src/domain/job.ts'
import type { EnqueueTarget } from '../../src/enqueue/enqueue.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
await world.sql('CREATE TABLE orders (id int PRIMARY KEY)')
/** A caller's pool. Its connections may break when the test ends, so errors are ignored. */
function poolOf(config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: world.url, max: 4, ...config })
  return pool.on('error', () => undefined)
}

const kysely = new Kysely<{ orders: { id: number } }>({
  dialect: new PostgresDialect({ pool: poolOf() }),
})
afterAll(async () => {
  await kysely.destroy()
  await world.close()
})
beforeEach(async () => {
  await world.reset()
  await world.sql('DELETE FROM orders')
})

const { queue } = world
const testSessions = skippedBehindPooler('what a session waits for is seen by its backend') ? test.skip : test

async function countRows(): Promise<{ jobs: number; orders: number }> {
  const [row] = await world.sql<{ jobs: number; orders: number }>(
    `SELECT (SELECT count(*)::int FROM queue.all_jobs) AS jobs, (SELECT count(*)::int FROM orders) AS orders`,
  )
  return row ?? { jobs: -1, orders: -1 }
}

class RollbackError extends Error {}

test.each(['with a key', 'without a key'])(
  'an enqueue in a READ ONLY transaction says that the transaction is, %s',
  async (which) => {
    const client = await databaseOf(queue).pool.connect()
    try {
      await client.query('BEGIN READ ONLY')
      const options = which === 'with a key' ? { idempotencyKey: 'order-1' } : {}
      await expect(queue.enqueue(probe, {}, { ...options, transaction: client })).rejects.toMatchObject({
        code: 'invalid_options',
        message: expect.stringContaining('the transaction is READ ONLY'),
      })
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  },
)

describe('an enqueue inside a Kysely transaction', () => {
  test('is there after the commit, and not seen before', async () => {
    const id = await kysely.transaction().execute(async (transaction) => {
      await transaction.insertInto('orders').values({ id: 1 }).execute()
      const { job } = await queue.enqueue(probe, { order: 1 }, { transaction })
      expect(await queue.get(job.id)).toBeUndefined()
      return job.id
    })
    expect((await queue.get(id))?.payload).toEqual({ order: 1 })
    expect(await countRows()).toEqual({ jobs: 1, orders: 1 })
  })

  test('leaves nothing after a rollback', async () => {
    const work = kysely.transaction().execute(async (transaction) => {
      await transaction.insertInto('orders').values({ id: 1 }).execute()
      await queue.enqueueMany([probe.create({}), probe.create({}, { idempotencyKey: 'k' })], { transaction })
      throw new RollbackError()
    })
    await expect(work).rejects.toThrow(RollbackError)
    expect(await countRows()).toEqual({ jobs: 0, orders: 0 })
    expect(await queue.enqueue(probe, {}, { idempotencyKey: 'k' })).toMatchObject({ replayed: false })
  })

  test('is undone with its savepoint, and only with that', async () => {
    const transaction = await kysely.startTransaction().execute()
    const before = await transaction.savepoint('before').execute()
    await queue.enqueue(probe, { n: 1 }, { transaction: before })
    const back = await before.rollbackToSavepoint('before').execute()
    const { job } = await queue.enqueue(probe, { n: 2 }, { transaction: back })
    await back.commit().execute()
    expect(await countRows()).toEqual({ jobs: 1, orders: 0 })
    expect(await queue.get(job.id)).toMatchObject({ payload: { n: 2 } })
  })

  test('gives the same answer whatever plugins the caller uses', async () => {
    const { job: existing } = await queue.enqueue(probe, { snake_case: 1 }, { idempotencyKey: 'k' })
    const plugged = kysely.withPlugin(new CamelCasePlugin()).withPlugin(new ParseJSONResultsPlugin())
    await plugged.transaction().execute(async (transaction) => {
      const created = await queue.enqueue(probe, { snake_case: 2 }, { transaction, tenantId: 'acme' })
      expect(created.job).toMatchObject({
        payload: { snake_case: 2 },
        tenantId: 'acme',
        runAt: expect.any(Date),
      })
      expect(created.job.runAt.getTime()).not.toBeNaN()
      const replay = await queue.enqueue(probe, { snake_case: 1 }, { transaction, idempotencyKey: 'k' })
      expect(replay).toEqual({ job: existing, replayed: true, mismatched: false })
    })
  })
})

describe('an enqueue through a node-postgres client', () => {
  test('inside a transaction is there after the commit, and leaves nothing after a rollback', async () => {
    const client = await world.session()
    for (const [end, jobs] of [
      ['ROLLBACK', 0],
      ['COMMIT', 1],
    ] as const) {
      await client.query('BEGIN')
      const { job } = await queue.enqueue(probe, {}, { transaction: client })
      expect(await queue.get(job.id)).toBeUndefined()
      await client.query(end)
      expect(await countRows()).toEqual({ jobs, orders: 0 })
    }
  })

  test('never changes the settings of the caller', async () => {
    const client = await world.session()
    await client.query(`BEGIN; SET LOCAL lock_timeout = '7s'`)
    await queue.enqueue(probe, {}, { transaction: client, idempotencyKey: 'k' })
    const { rows } = await client.query(`SELECT current_setting('lock_timeout') AS timeout`)
    expect(rows).toEqual([{ timeout: '7s' }])
    await client.query('COMMIT')
  })

  test('is seen by a replay inside the same transaction', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    const options = { transaction: client, idempotencyKey: 'k' }
    const first = await queue.enqueue(probe, {}, options)
    expect(await queue.enqueue(probe, {}, options)).toEqual({ ...first, replayed: true })
    await client.query('COMMIT')
    expect(await countRows()).toEqual({ jobs: 1, orders: 0 })
  })

  test('in a transaction that has already failed reports that, and not an error of the queue', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    await client.query('SELECT 1 / 0').catch(() => undefined)
    await expect(queue.enqueue(probe, {}, { transaction: client })).rejects.toMatchObject({ code: '25P02' })
    await client.query('ROLLBACK')
  })

  test('in a transaction of a stricter isolation works, and sees what its snapshot sees', async () => {
    const client = await world.session()
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE')
    const { job } = await queue.enqueue(probe, {}, { transaction: client, idempotencyKey: 'k' })
    await client.query('COMMIT')
    expect(await queue.get(job.id)).toEqual(job)
  })

  test('wakes the workers at the commit with one notification per queue, unless told not to', async () => {
    const listener = await world.session()
    const notifiedQueues: string[] = []
    listener.on('notification', ({ payload }) => notifiedQueues.push(payload ?? ''))
    await listener.query('LISTEN "queue.jobs"')
    const client = await world.session()
    const batch = [probe.create({}), probe.create({}), probe.create({}, { queue: 'mail' })]
    await client.query('BEGIN')
    await queue.enqueueMany(batch, { transaction: client })
    await queue.enqueueMany(batch, { transaction: client })
    await listener.query('SELECT 1')
    expect(notifiedQueues).toEqual([])
    await client.query('COMMIT')
    await client.query('BEGIN')
    await queue.enqueueMany([probe.create({}, { queue: 'silent' })], { transaction: client, notify: false })
    await client.query('COMMIT')
    await listener.query('SELECT 1')
    expect(notifiedQueues.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['default', 'mail'])
  })
})

describe('enqueues that run side by side with statements of the caller', () => {
  const refuse = { key: 'held', scope: 'live', onConflict: 'refuse' } as const
  const waiting = { key: 'locked', scope: 'waiting' } as const
  const enqueues: readonly (readonly [string, JobOptions & Pick<EnqueueTarget, 'onMismatch'>])[] = [
    ['plain', {}],
    ['a unique key that is refused', { unique: refuse }],
    ['an idempotency key of another request', { idempotencyKey: 'known', onMismatch: 'reject' }],
    ['a unique key whose holder is locked for a moment', { unique: waiting }],
    ['a new idempotency key', { idempotencyKey: 'new' }],
    ['a new unique key', { unique: { ...refuse, key: 'new' } }],
    ['a unique key that this transaction has taken', { unique: { ...refuse, key: 'new' } }],
    ['plain again', {}],
  ]

  async function expectAllKept(
    transaction: CallerTransaction,
    { insert, commit }: { insert: (id: number) => Promise<unknown>; commit: () => Promise<unknown> },
  ): Promise<void> {
    await queue.enqueue(probe, {}, { unique: refuse })
    await queue.enqueue(probe, { other: true }, { idempotencyKey: 'known' })
    const { job: locked } = await queue.enqueue(probe, {}, { unique: waiting, delayMs: 60_000 })
    const other = await world.session()
    await other.query('BEGIN')
    await other.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [locked.id])
    const work = enqueues.flatMap(([what, options], index) => [
      queue
        .enqueue(probe, { what }, { ...options, transaction })
        .catch((error: unknown) => ({ refused: (error as { code?: unknown }).code })),
      insert(index),
    ])
    const waits = untilSomeoneWaitsFor(other, await world.session()).then(() => other.query('COMMIT'))
    const answers = await Promise.all(work)
    await waits
    await commit()
    const enqueued = answers.filter((_, index) => index % 2 === 0)
    expect(enqueued.map((answer) => ('refused' in (answer as object) ? answer : 'answered'))).toEqual([
      'answered',
      { refused: 'unique_conflict' },
      { refused: 'idempotency_mismatch' },
      'answered',
      'answered',
      'answered',
      { refused: 'unique_conflict' },
      'answered',
    ])
    for (const answer of enqueued as { job?: Job }[]) {
      if (answer.job !== undefined)
        expect(await queue.get(answer.job.id)).toMatchObject({ id: answer.job.id })
    }
    expect((await countRows()).orders).toBe(enqueues.length)
  }

  testSessions('lose nothing of either through node-postgres', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    await expectAllKept(client, {
      insert: (id) => client.query('INSERT INTO orders VALUES ($1)', [id]),
      commit: () => client.query('COMMIT'),
    })
  })

  testSessions('lose nothing of either through Kysely', async () => {
    const transaction = await kysely.startTransaction().execute()
    await expectAllKept(transaction, {
      insert: (id) => transaction.insertInto('orders').values({ id }).execute(),
      commit: () => transaction.commit().execute(),
    })
  })

  test.each<[string, JobOptions]>([
    ['idempotency_key_locked', { idempotencyKey: 'k' }],
    ['unique_key_locked', { unique: { key: 'k', scope: 'live' } }],
  ])('go on after %s', async (code, options) => {
    const [holder, client] = [await world.session(), await world.session()]
    for (const session of [holder, client]) await session.query('BEGIN')
    await queue.enqueue(probe, {}, { ...options, transaction: holder })
    await client.query(`SET LOCAL lock_timeout = '50ms'`)
    const { job } = await queue.enqueue(probe, {}, { transaction: client })
    await expect(queue.enqueue(probe, {}, { ...options, transaction: client })).rejects.toMatchObject({
      code,
    })
    await client.query('INSERT INTO orders VALUES (1)')
    await client.query('COMMIT')
    await holder.query('ROLLBACK')
    expect(await countRows()).toEqual({ jobs: 1, orders: 1 })
    expect(await queue.get(job.id)).toBeDefined()
  })
})

test('an enqueue that has waited for the holder of its key leaves it to others, if it has ended', async () => {
  const unique = { key: 'u', scope: 'live' } as const
  const { job: holder } = await queue.enqueue(probe, {}, { unique })
  const [other, client, observer] = [await world.session(), await world.session(), await world.session()]
  await other.query('BEGIN')
  await other.query('SELECT queue.cancel($1)', [holder.id])
  await client.query('BEGIN')
  const enqueued = queue.enqueue(probe, {}, { unique, transaction: client })
  await untilSomeoneWaitsFor(other, observer)
  await other.query('COMMIT')
  expect(await enqueued).not.toHaveProperty('conflict')
  const { rowCount } = await observer.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE NOWAIT', [
    holder.id,
  ])
  expect(rowCount).toBe(1)
  await client.query('COMMIT')
})

describe('what is no transaction', () => {
  const pool = poolOf()
  afterAll(() => pool.end())
  /** Hides everything of a client except that it sends statements, like a client of another library. */
  const wrapClient = (client: pg.Client): PgClient => ({ query: client.query.bind(client) })

  const enqueueCases: [string, JobOptions & Omit<EnqueueTarget, 'transaction'>][] = [
    ['a job', {}],
    ['a job for later', { delayMs: 60_000 }],
    ['a job that nobody is told of', { notify: false }],
    ['a job with a key', { idempotencyKey: 'k' }],
    ['a job with a key that may be refused', { idempotencyKey: 'k', onMismatch: 'reject' }],
  ]

  const nonTransactions: [string, () => unknown][] = [
    ['a pool', () => pool],
    ['a client that has not said BEGIN', () => world.session()],
    [
      'a client whose transaction has ended',
      async () => {
        const client = await world.session()
        await client.query('BEGIN; SELECT 1; COMMIT')
        return client
      },
    ],
    ['a wrapper around a client that has not said BEGIN', async () => wrapClient(await world.session())],
    ['a Kysely instance', () => kysely],
    ['null', () => null],
    ['an empty object', () => ({})],
    ['a text', () => 'transaction'],
    ['a query that answers something else than node-postgres', () => ({ query: async () => [] })],
  ]

  describe.each(nonTransactions)('%s', (_what, make) => {
    test.each(enqueueCases)('is refused for %s, and nothing is written', async (_way, options) => {
      const transaction = (await make()) as PgClient
      await expect(queue.enqueue(probe, {}, { ...options, transaction })).rejects.toMatchObject({
        code: 'invalid_options',
        message: expect.stringMatching(/a Kysely transaction, or a node-postgres client after its BEGIN/),
      })
      expect(await countRows()).toEqual({ jobs: 0, orders: 0 })
    })
  })

  describe.each(enqueueCases)('%s', (_what, options) => {
    test.each([
      ['a client', (client: pg.Client): PgClient => client],
      ['a wrapper around a client', wrapClient],
    ])(
      'is not written when its enqueue was not waited for, and %s has ended the transaction',
      async (_of, as) => {
        const client = await world.session()
        await client.query('BEGIN')
        const refused = expect(
          queue.enqueue(probe, {}, { ...options, transaction: as(client) }),
        ).rejects.toMatchObject({
          code: 'invalid_options',
        })
        await client.query('COMMIT')
        await refused
        expect(await countRows()).toEqual({ jobs: 0, orders: 0 })
      },
    )

    test('is not written if its enqueue was not awaited and Kysely has rolled the transaction back', async () => {
      let enqueuing: Promise<unknown> | undefined
      const work = kysely.transaction().execute(async (transaction) => {
        enqueuing = queue.enqueue(probe, {}, { ...options, transaction }).catch(() => 'refused')
        throw new RollbackError()
      })
      await expect(work).rejects.toThrow(RollbackError)
      await enqueuing
      expect(await countRows()).toEqual({ jobs: 0, orders: 0 })
    })

    test('is not written through a transaction of Kysely that has ended', async () => {
      const ended = await kysely.transaction().execute(async (transaction) => transaction)
      await expect(queue.enqueue(probe, {}, { ...options, transaction: ended })).rejects.toThrow(/committed/)
      expect(await countRows()).toEqual({ jobs: 0, orders: 0 })
    })

    test.each([
      ['a client', (client: pg.Client): PgClient => client],
      ['a wrapper around a client', wrapClient],
    ])('is part of a transaction through %s, also while its BEGIN is on its way', async (_of, as) => {
      const client = await world.session()
      for (const [end, jobs] of [
        ['ROLLBACK', 0],
        ['COMMIT', 1],
      ] as const) {
        const begun = client.query('BEGIN')
        const { job } = await queue.enqueue(probe, {}, { ...options, transaction: as(client) })
        await begun
        expect(await queue.get(job.id)).toBeUndefined()
        await client.query(end)
        expect(await countRows()).toEqual({ jobs, orders: 0 })
      }
    })
  })
})

describe('what an enqueue in a transaction costs', () => {
  test('a node-postgres client: one statement, which also notifies the workers', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    await queue.enqueue(probe, {}, { transaction: client })
    const sent: string[] = []
    const query = client.query.bind(client) as (config: pg.QueryConfig) => Promise<pg.QueryResult>
    const counted = Object.assign(Object.create(client) as pg.Client, {
      query: (config: pg.QueryConfig) => {
        sent.push(config.text)
        return query(config)
      },
    }) as PgClient
    await queue.enqueue(probe, {}, { transaction: counted })
    await queue.enqueue(probe, {}, { transaction: counted, idempotencyKey: 'k' })
    await client.query('COMMIT')
    expect(sent).toHaveLength(2)
  })

  test('Kysely: one more, because it does not show whether its transaction is open', async () => {
    const sent: string[] = []
    const logged = new Kysely<object>({
      dialect: new PostgresDialect({ pool: poolOf() }),
      log: ({ query }) => void sent.push(query.sql),
    })
    await logged.transaction().execute(async (transaction) => {
      await queue.enqueue(probe, {}, { transaction })
      sent.length = 0
      await queue.enqueue(probe, {}, { transaction })
      expect(sent).toHaveLength(2)
    })
    await logged.destroy()
  })
})

describe('a job that is enqueued in a transaction', () => {
  /** Milliseconds since 1970 by the database's clock. */
  async function readClock(client: pg.Client): Promise<number> {
    const { rows } = await client.query(`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms`)
    return (rows[0] as { ms: number }).ms
  }

  /** A transaction that has been open for so long that rounding of instants cannot hide it. */
  async function openTransaction(): Promise<pg.Client> {
    const client = await world.session()
    await client.query('BEGIN')
    await client.query('SELECT pg_sleep(0.005)')
    return client
  }

  test.each<[string, JobOptions & Pick<EnqueueTarget, 'onMismatch'>]>([
    ['without a key', {}],
    ['with a key', { idempotencyKey: 'k' }],
    ['with a key that may be refused', { idempotencyKey: 'k', onMismatch: 'reject' }],
    ['with a time that is past', { runAt: new Date(0) }],
    ['with a delay', { delayMs: 3_000 }],
    ['with a key and a delay', { idempotencyKey: 'k', delayMs: 3_000 }],
  ])('%s begins its time with the enqueue, however long the transaction is open', async (_what, options) => {
    const client = await openTransaction()
    const beforeMs = await readClock(client)
    const { job } = await queue.enqueue(probe, {}, { ...options, transaction: client })
    const afterMs = await readClock(client)
    await client.query('COMMIT')
    const { createdAt, updatedAt, runAt } = job
    expect(await queue.get(job.id)).toEqual(job)
    expect(createdAt.getTime()).toBeGreaterThanOrEqual(Math.floor(beforeMs))
    expect(createdAt.getTime()).toBeLessThanOrEqual(afterMs)
    expect(updatedAt).toEqual(createdAt)
    expect(runAt.getTime() - createdAt.getTime()).toBe(options.delayMs ?? 0)
  })

  test('is found by a scan that goes on from where another one had come before the enqueue', async () => {
    const client = await openTransaction()
    const slackMs = 2_000
    const memory = new ClaimMemory(['default'])
    const nowMs = (await readClock(client)) + slackMs
    memory.learn(memory.plan('any', 1), { claimed: [], openQueues: ['default'], nowMs })
    const { job } = await queue.enqueue(probe, {}, { transaction: client })
    await client.query('COMMIT')
    expect(await claim(world, await newWorker(world), { memory })).toMatchObject([{ id: job.id }])
  })
})

describe("a caller's own pool", () => {
  /** Type parsers that turn every column into something unusable. */
  const uselessTypes = { getTypeParser: () => () => ({ odd: true }) }
  /** Type parsers that services really set: BigInt for bigints, texts for instants and numbers, unparsed JSON. */
  const serviceTypes = {
    getTypeParser: (oid: Parameters<typeof pg.types.getTypeParser>[0]) => {
      const parsers: Record<number, (text: string) => unknown> = {
        20: BigInt,
        21: BigInt,
        23: BigInt,
        701: String,
        1184: String,
        1700: Number,
        3802: String,
        114: String,
      }
      return parsers[oid] ?? pg.types.getTypeParser(oid)
    },
  }

  /** node-postgres supports this option, but its types do not declare it. */
  const binary: pg.PoolConfig & { binary: boolean } = { binary: true }
  /** In PostgreSQL's binary form this number is not ASCII, and neither are ids and instants. */
  const notAscii = { timeoutMs: 200 }

  test.each<[string, pg.PoolConfig]>([
    ['every type parser replaced', { types: uselessTypes }],
    ['the parsers that services really set', { types: serviceTypes }],
    ['binary results', binary],
  ])('with %s: the queue answers the same', async (_what, config) => {
    const pool = poolOf(config)
    const callersQueue = createQueue({ pool })
    const options = { ...notAscii, idempotencyKey: 'k', retryPolicy: { type: 'fixed', baseMs: 5 } } as const
    const { job } = await callersQueue.enqueue(probe, { a: 1 }, options)
    expect(await callersQueue.get(job.id)).toEqual(await queue.get(job.id))
    expect(job).toEqual(await queue.get(job.id))
    expect(await callersQueue.enqueue(probe, { a: 1 }, options)).toEqual({
      job,
      replayed: true,
      mismatched: false,
    })
    expect(await callersQueue.list()).toEqual(await queue.list())
    const workerId = await newWorker(world)
    const [claimed] = await claim({ database: databaseOf(callersQueue) }, workerId)
    expect(claimed).toMatchObject({
      id: job.id,
      attempt: 1,
      maxAttempts: 3,
      lease: { token: 1 },
      payload: { a: 1 },
    })
    expect(await callersQueue.cancel(job.id)).toMatchObject({
      outcome: 'requested',
      job: { cancelRequested: true },
    })
    expect(await callersQueue.checkSchema()).toMatchObject({ status: 'compatible' })
    await callersQueue.close()
    await pool.end()
  })

  describe.each<[string, pg.PoolConfig]>([
    ['the parsers that services really set', { types: serviceTypes }],
    ['binary results', binary],
  ])('with %s: inside their transactions too', (_what, config) => {
    /** Uses a new queue, because its first enqueue reads the clock of the database through the transaction. */
    async function expectSameAnswers(transaction: CallerTransaction): Promise<Job[]> {
      const newQueue = createQueue({ connectionString: world.url })
      try {
        const options = { ...notAscii, transaction, idempotencyKey: 'k' }
        const keyed = await newQueue.enqueue(probe, {}, options)
        const replay = await newQueue.enqueue(probe, { other: 1 }, options)
        expect(replay).toEqual({ job: keyed.job, replayed: true, mismatched: true })
        const unkeyed = await newQueue.enqueue(probe, {}, { ...notAscii, transaction })
        return [keyed.job, unkeyed.job]
      } finally {
        await newQueue.close()
      }
    }

    async function expectStored(jobs: readonly Job[]): Promise<void> {
      for (const job of jobs) expect(await queue.get(job.id)).toEqual(job)
    }

    test('of Kysely', async () => {
      const callersQueue = new Kysely<object>({ dialect: new PostgresDialect({ pool: poolOf(config) }) })
      await expectStored(await callersQueue.transaction().execute(expectSameAnswers))
      await callersQueue.destroy()
    })

    test.each([
      ['a client', (client: pg.PoolClient): PgClient => client],
      ['a wrapper around a client', (client: pg.PoolClient) => ({ query: client.query.bind(client) })],
    ])('of %s', async (_of, as) => {
      const pool = poolOf(config)
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const jobs = await expectSameAnswers(as(client))
        await client.query('COMMIT')
        await expectStored(jobs)
      } finally {
        client.release()
        await pool.end()
      }
    })
  })

  test('stays open when the queue is closed, without listeners of the queue', async () => {
    const pool = poolOf({ max: 1 })
    const listeners = pool.listenerCount('error')
    const callersQueue = createQueue({ pool })
    await callersQueue.enqueue(probe, {})
    await callersQueue.close()
    await callersQueue.close()
    expect(pool.listenerCount('error')).toBe(listeners)
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })
})
