import { Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { besidePool, createListener } from '@queue/postgres'
import { notifyChannel, databaseOf } from '@queue/core/internal'
import { handle, PermanentFailure } from '@queue/executor'
import { eventually, skippedBehindPooler } from '@queue/test-database'
import pg from 'pg'
import { createWorker } from '../src/index.ts'
import { testListening } from './support/listening.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

const isSkipped = skippedBehindPooler('settings of a session')
const settingUp = isSkipped ? describe.skip : describe
const settingUpOne = isSkipped ? test.skip : test

beforeAll(async () => {
  await world.database.pool.query(
    `CREATE SCHEMA apart; CREATE TABLE apart.notes (about bigint);
     GRANT ALL ON SCHEMA apart TO PUBLIC; GRANT ALL ON apart.notes TO PUBLIC`,
  )
})

const pools: pg.Pool[] = []
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.end())))

/** A pool that sets the role of a worker in its `options`, to which others can be added. */
function callersPool({ options: added = '', ...more }: pg.PoolConfig): pg.Pool {
  const role = new URL(world.database.urlAs('worker')).searchParams.get('options') ?? ''
  const pool = new pg.Pool({
    connectionString: world.database.url,
    options: `${role} ${added}`,
    max: 4,
    ...more,
  })
  pools.push(pool)
  return pool
}

settingUp('the transaction of a handler whose worker has a pool of the caller', () => {
  /** Runs a handler that reads a value in its transaction. Resolves with the value. */
  async function readInTransaction(pool: pg.Pool, text: string): Promise<unknown> {
    const worker = await world.onPool(pool, (_job, ctx) =>
      ctx.transaction(async (tx) => {
        const { rows } = await tx.query<{ read: unknown }>(text)
        return { read: String(rows[0]?.read), type: typeof rows[0]?.read }
      }),
    )
    const { result } = await world.reached(await world.enqueue(), 'succeeded')
    await worker.stop()
    return result
  }

  const notesQuery =
    'WITH note AS (INSERT INTO notes VALUES (1) RETURNING about) SELECT about AS read FROM note'

  test('has its options, such as the search path', async () => {
    const pool = callersPool({ options: '-c search_path=apart' })
    expect(await readInTransaction(pool, notesQuery)).toMatchObject({ read: '1' })
  })

  test('is set up as the pool sets up its own connections', async () => {
    const pool = callersPool({})
    pool.on('connect', (client) => void client.query('SET search_path TO apart'))
    expect(await readInTransaction(pool, notesQuery)).toMatchObject({ read: '1' })
  })

  test('has its parsers of types', async () => {
    const types = {
      getTypeParser: (oid: Parameters<typeof pg.types.getTypeParser>[0]) =>
        oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid),
    }
    const pool = callersPool({ types })
    expect(await readInTransaction(pool, 'SELECT 7::bigint AS read')).toEqual({ read: '7', type: 'bigint' })
  })

  test.each(['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const)(
    'has its %s',
    async (name) => {
      const pool = callersPool({ [name]: 54_321 })
      expect(await readInTransaction(pool, `SELECT current_setting('${name}') AS read`)).toMatchObject({
        read: '54321ms',
      })
    },
  )
})

/** The types of node-postgres name no array type. */
const processTypes = pg.types as unknown as {
  getTypeParser(oid: number): (text: string) => unknown
  setTypeParser(oid: number, parse: (text: string) => unknown): void
}

test.each<[string, number, (text: string) => unknown]>([
  ['uuid', pg.types.builtins.UUID, (text) => Buffer.from(text.replaceAll('-', ''), 'hex')],
  ['uuid[]', 2_951, (text) => text],
  ['text[]', 1_009, (text) => new Set(text.slice(1, -1).split(','))],
  ['text', pg.types.builtins.TEXT, (text) => ({ text })],
  ['bigint', pg.types.builtins.INT8, BigInt],
  ['double precision', pg.types.builtins.FLOAT8, String],
  ['jsonb', pg.types.builtins.JSONB, (text) => text],
])('a process that reads %s in its own way has the same queue', async (_type, oid, parse) => {
  const readBefore = processTypes.getTypeParser(oid)
  processTypes.setTypeParser(oid, parse)
  try {
    await world.onPool(callersPool({}), ({ payload }) => {
      if (payload['fails'] === true) throw new PermanentFailure('no')
      return payload
    })
    const { queue } = world.database
    const { job } = await queue.enqueue(testJob, { n: 1 })
    expect(await world.reached(job.id, 'succeeded')).toMatchObject({
      id: job.id,
      result: { n: 1 },
      attempts: 1,
    })
    const { job: failing } = await queue.enqueue(testJob, { fails: true })
    expect(await world.reached(failing.id, 'failed_permanent')).toMatchObject({ id: failing.id })
    expect(await queue.many.requeue({ kind: 'test_job' })).toMatchObject({ jobIds: [failing.id] })
    expect((await queue.workers())[0]).toMatchObject({ kinds: ['test_job'] })
  } finally {
    processTypes.setTypeParser(oid, readBefore)
  }
})

describe("a worker on the caller's pool", () => {
  settingUpOne('renews its lease by a connection with the options of the pool', async () => {
    await world.database.pool.query(
      `CREATE TABLE apart.renewals (name text, tag text);
       CREATE FUNCTION apart.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
       BEGIN
         INSERT INTO apart.renewals VALUES (current_setting('application_name'), current_setting('callers.tag', true));
         RETURN NULL;
       END $$;
       CREATE TRIGGER note AFTER UPDATE ON queue.workers FOR EACH ROW EXECUTE FUNCTION apart.note()`,
    )
    await world.onPool(callersPool({ options: '-c callers.tag=given' }), () => undefined, {
      leaseMs: 30_000,
      heartbeatMs: 300,
    })
    const tags = async (): Promise<unknown[]> => {
      const { rows } = await world.database.pool.query<{ tag: unknown }>(
        `SELECT tag FROM apart.renewals WHERE name = 'queue-lease'`,
      )
      return rows.map(({ tag }) => tag)
    }
    await eventually(async () => (await tags()).length > 1)
    expect(new Set(await tags())).toEqual(new Set(['given']))
  })

  testListening(
    'listens by a connection that goes the way of the pool, and is set up as its own are',
    async () => {
      const database = databaseOf(world.database.queue)
      let sockets = 0
      const stream = (): Socket => {
        sockets += 1
        return new Socket()
      }
      const pool = callersPool({ stream })
      let set = 0
      pool.on('connect', (client) => {
        set += 1
        void client.query('SET search_path TO apart')
      })
      const health: string[] = []
      const listener = createListener({
        database,
        channel: notifyChannel(database.schema),
        connection: besidePool(pool),
        logger: world.logger,
        onHealth: (now) => health.push(now),
        onNotification: () => undefined,
        onGap: () => undefined,
      })
      listener.start()
      try {
        await eventually(() => health.at(-1) === 'healthy')
        expect({ sockets, set }).toEqual({ sockets: 1, set: 1 })
      } finally {
        await listener.stop()
      }
    },
  )

  test.each<[string, pg.PoolConfig]>([
    ['stream', { stream: () => new Socket() }],
    ['password', { password: () => 'a token' }],
  ])(
    'is refused when it is made where the pool has a %s that its thread cannot be given',
    (name, options) => {
      const make = () =>
        createWorker({ pool: callersPool(options), handlers: [handle(testJob, () => undefined)] })
      expect(make).toThrow(
        expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining(name) }),
      )
    },
  )
})
