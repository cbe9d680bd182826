import { afterAll, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler, until } from '@queue/dev-postgres'
import { acquireTimeoutsOf } from '@queue/postgres'
import { sql } from 'kysely'
import pg from 'pg'
import { z } from 'zod'
import { type ConnectedDatabase, connect } from '../../src/database/connect.ts'
import { notifyChannel } from '../../src/database/notifications.ts'
import { type JobOptions, defineJob } from '../../src/domain/job-definition.ts'
import { migrateUp } from '../../src/facade/manage-schema.ts'
import { type Queue, createQueue } from '../../src/facade/queue.ts'
import { kindsChannel } from '../../src/kinds/kinds-channel.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { startEndingServer } from '../support/ending-server.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())

const testIdleConnections = skippedBehindPooler(
  'an idle client of a pooler has no connection that could break',
)
  ? test.skip
  : test

const testSessions = skippedBehindPooler(
  'which connection of the server a statement gets is for the pooler to say',
)
  ? test.skip
  : test

/** The server processes of the two connections of a pool. */
async function readBothPids(database: ConnectedDatabase): Promise<(number | undefined)[]> {
  const pid = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
  const rows = await Promise.all([database.run(pid), database.run(pid)])
  return rows.map(([row]) => row?.pid)
}

describe('a connection that breaks', () => {
  testIdleConnections(
    'while it is idle does not end the process, and the next statement gets a fresh one',
    async () => {
      const queue = createQueue({ connectionString: world.url, applicationName: 'to-be-cut', poolMax: 2 })
      await Promise.all([queue.list(), queue.list()])
      await world.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'to-be-cut'`,
      )
      await until('the pool has noticed', async () => databaseOf(queue).pool.totalCount === 0)
      await queue.enqueue(probe, {})
      expect((await queue.list()).jobs).toHaveLength(1)
      await queue.close()
    },
  )

  testSessions(
    'closes the older connections too: statements would wait for each of them in turn',
    async () => {
      const database = connect({ connectionString: world.url, poolMax: 2, queryTimeoutMs: 300 })
      // No cancel request can be sent, as on a network that has gone silent.
      database.pool.on('connect', (client) => Object.assign(client, { processID: null }))
      const [first, second] = await readBothPids(database)
      await expect(database.run(sql`SELECT pg_sleep(2)`)).rejects.toMatchObject({
        code: 'database_unavailable',
      })
      const pids = await readBothPids(database)
      for (const pid of [first, second]) expect(pids).not.toContainEqual(pid)
      await database.close()
    },
  )

  testSessions('does not close the others if it was only slow and the server has answered', async () => {
    // The answer to the cancel may take half of this time, which has to be enough on a busy machine.
    const database = connect({ connectionString: world.url, poolMax: 2, queryTimeoutMs: 1_000 })
    const before = await readBothPids(database)
    await expect(database.run(sql`SELECT pg_sleep(60)`)).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    const after = await readBothPids(database)
    expect(before.filter((pid) => after.includes(pid))).toHaveLength(1)
    await database.close()
  })

  testSessions(
    'because the pool is renewed fails its statement, and neither it nor the idle ones are used again',
    async () => {
      const database = connect({ connectionString: world.url, poolMax: 2, applicationName: 'to-be-renewed' })
      const before = await readBothPids(database)
      const sleeping = database.run(sql`SELECT pg_sleep(3600)`)
      await until('the statement runs', async () => {
        const sleepingSessions = `SELECT FROM pg_stat_activity WHERE application_name = 'to-be-renewed' AND wait_event = 'PgSleep'`
        return (await world.sql(sleepingSessions)).length === 1
      })
      database.renewConnections()
      await expect(sleeping).rejects.toMatchObject({ code: 'database_unavailable' })
      const after = await readBothPids(database)
      for (const pid of before) expect(after).not.toContainEqual(pid)
      await database.close()
    },
  )

  test('right after it was made does not end the process', async () => {
    const server = await startEndingServer()
    const database = connect({ connectionString: server.url })
    await expect(database.run(sql`SELECT 1`)).rejects.toMatchObject({ code: 'database_unavailable' })
    await database.close()
    await server.close()
  })

  test('while the pool is being closed does not end the process either', async () => {
    const queue = createQueue({ connectionString: world.url })
    await queue.list()
    const closing = queue.close()
    expect(() => databaseOf(queue).pool.emit('error', new Error('too late'), {})).not.toThrow()
    await closing
    expect(() => databaseOf(queue).pool.emit('error', new Error('later still'), {})).not.toThrow()
  })

  test('in the middle of a statement is database_unavailable, and is not used again', async () => {
    const queue = createQueue({ connectionString: world.url, applicationName: 'cut-in-work', poolMax: 1 })
    const locker = await world.session()
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
    const reading = queue.list().catch((error: unknown) => error)
    await until('the statement waits, and its connection is cut', async () => {
      const cut = await world.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'cut-in-work' AND wait_event_type = 'Lock'`,
      )
      return cut.length > 0
    })
    expect(await reading).toMatchObject({ name: 'QueueError', code: 'database_unavailable' })
    await locker.query('ROLLBACK')
    expect((await queue.list()).jobs.length).toBeGreaterThanOrEqual(0)
    await queue.close()
  })
})

describe('an error of the database', () => {
  test('is database_unavailable when no server listens there', async () => {
    const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' })
    await expect(queue.get('01900000-0000-7000-8000-000000000000')).rejects.toMatchObject({
      code: 'database_unavailable',
    })
    await queue.close()
  })

  test('is database_unavailable when a statement gets no answer in time, and the connection is given up', async () => {
    const queue = createQueue({ connectionString: world.url, queryTimeoutMs: 50, poolMax: 1 })
    const locker = await world.session()
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
    await expect(queue.list()).rejects.toMatchObject({ code: 'database_unavailable' })
    await locker.query('ROLLBACK')
    // The next statement has as little time, which may be too short for a new connection on a busy machine.
    await until('a statement is answered', async () => (await queue.list()).nextCursor === null)
    await queue.close()
  })

  test('is schema_mismatch when the schema is not there, and reveals no SQL', async () => {
    const queue = createQueue({ connectionString: world.url, schema: 'nowhere' })
    const error = await queue.list().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'schema_mismatch' })
    expect((error as Error).message).not.toMatch(/nowhere|SELECT/)
    expect(await queue.checkSchema()).toMatchObject({ status: 'missing', databaseVersion: 0 })
    await queue.close()
  })
})

describe('the name of a schema', () => {
  test.each(['', 'Queue', 'a-b', 'a b', 'a"b', '1a', 'pg_queue', 'information_schema', 'é', 's'.repeat(57)])(
    'is refused: %j',
    (schema) => {
      const pool = new pg.Pool()
      expect(() => connect({ pool, schema })).toThrow(expect.objectContaining({ code: 'invalid_options' }))
    },
  )
})

test('the longest name of a schema has channels that PostgreSQL accepts', async () => {
  const schema = 's'.repeat(56)
  connect({ pool: new pg.Pool(), schema })
  for (const channel of [notifyChannel(schema), kindsChannel(schema), `${schema}.outbox`]) {
    await world.sql(`LISTEN "${channel}"; SELECT pg_notify('${channel}', ''); UNLISTEN *`)
  }
})

test.each([
  [
    'undefined, as a variable is that is not set',
    { connectionString: undefined },
    'connectionString is undefined',
  ],
  ['empty', { connectionString: '' }, 'connectionString is empty'],
  ['missing, and there is no pool', {}, 'give connectionString, a postgres:// URL, or pool'],
])('a connection string that is %s is refused at once', (_, options, message) => {
  expect(() => createQueue(options as never)).toThrow(message)
})

test('a client is no pool: it is refused before it is used', async () => {
  const client = new pg.Client(world.url)
  expect(() => createQueue({ pool: client as never })).toThrow(
    /^connection: pool must be a pool of node-postgres/,
  )
})

test('a tracing that cannot send is refused where the queue is created, and not at its first enqueue', () => {
  expect(() => createQueue({ connectionString: world.url, tracing: {} as never })).toThrow(
    /^createQueue: tracing must be a tracing/,
  )
})

test('a pool beside a connection string is refused, because one of them would be ignored', async () => {
  const pool = new pg.Pool({ connectionString: world.url })
  const both = { pool, connectionString: world.url } as never
  expect(() => createQueue(both)).toThrow('give connectionString or pool, not both')
  const queue = createQueue({ pool, connectionString: undefined })
  expect(await queue.list({ queue: 'none' })).toMatchObject({ jobs: [] })
  await queue.close()
  await pool.end()
})

test.each([
  ['mysql://user@127.0.0.1/shop', 'must begin with postgres://'],
  ['http://127.0.0.1/shop', 'must begin with postgres://'],
])('a connection string to something else is refused: %s', (connectionString, message) => {
  expect(() => createQueue({ connectionString })).toThrow(message)
})

test('a misspelt option of an enqueue is answered with the nearest of a job and of an enqueue', async () => {
  const misspelt = { transacton: {} } as never
  await expect(world.queue.enqueue(probe, {}, misspelt)).rejects.toThrow('did you mean transaction?')
  await expect(world.queue.enqueueMany([probe.create({})], misspelt)).rejects.toThrow(
    'did you mean transaction?',
  )
})

test('an option that a queue does not have is refused, and named', () => {
  const misspelt = { connectionString: world.url, poolmax: 1 }
  expect(() => createQueue(misspelt)).toThrow(
    expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining('"poolmax"') }),
  )
  expect(() => createQueue(undefined as never)).toThrow(expect.objectContaining({ code: 'invalid_options' }))
})

test('an enqueue amid the close of its queue ends, or is refused with a code and what to do', async () => {
  const queue = createQueue({ connectionString: world.url, poolMax: 1 })
  await queue.enqueue(probe, {})
  const enqueues = Array.from({ length: 5 }, () => queue.enqueue(probe, {}))
  const closed = queue.close()
  const late = queue.enqueue(probe, {})
  const ends = await Promise.allSettled([...enqueues, late])
  await closed
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  expect(reasons.length).toBeGreaterThan(0)
  for (const reason of reasons) {
    expect(reason).toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('has been closed'),
    })
  }
})

test('an async refinement or transform of a schema is refused with a code, and so is what is no kind', async () => {
  const isTrue = async () => true
  const refined = defineJob({ kind: 'probe', payload: z.string().refine(isTrue) })
  await expect(world.queue.enqueue(refined, 'x')).rejects.toMatchObject({ code: 'invalid_options' })
  const transformed = defineJob({ kind: 'probe', payload: z.object({ a: z.string().transform(isTrue) }) })
  await expect(world.queue.enqueue(transformed, { a: 'x' })).rejects.toMatchObject({
    code: 'invalid_options',
  })
  await expect(world.queue.enqueue(undefined as never, 'x')).rejects.toMatchObject({
    code: 'invalid_options',
  })
})

test('an empty connection string is refused, and not replaced from the environment', () => {
  expect(() => createQueue({ connectionString: '' })).toThrow(
    expect.objectContaining({ code: 'invalid_options' }),
  )
})

test('a claim in a pool of one connection does not wait for itself', async () => {
  const queue = createQueue({ connectionString: world.url, poolMax: 1 })
  await queue.enqueue(probe, {})
  expect((await claim({ database: databaseOf(queue) }, await newWorker(world), { limit: 1 })).length).toBe(1)
  await queue.close()
})

const describePrepared = skippedBehindPooler(
  'prepared statements belong to a session, and so does what they leave behind',
)
  ? describe.skip
  : describe

describePrepared('statements that are sent often', () => {
  const countPlans =
    'SELECT (generic_plans + custom_plans)::int AS plans FROM pg_prepared_statements ORDER BY 1'

  test('are prepared once for each connection if that is configured', async () => {
    const queue = createQueue({ connectionString: world.url, poolMax: 1, preparedStatements: true })
    for (let n = 0; n < 8; n += 1) await queue.enqueue(probe, n, { notify: false })
    await queue.enqueue(probe, {}, { priority: 1, notify: false })
    await queue.enqueue(probe, {}, { idempotencyKey: 'k', notify: false })
    const { rows } = await databaseOf(queue).pool.query<{ plans: number }>(countPlans)
    expect(rows).toEqual([{ plans: 1 }, { plans: 9 }])
    await queue.close()
  })

  /**
   * Creates a schema that no other test counts in. Its table is empty, and its statistics say so: a plan made now would
   * read the whole table.
   */
  async function createEmptySchema(schema: string): Promise<void> {
    await migrateUp({ connectionString: world.url, schema })
    await world.sql(`ALTER TABLE ${schema}.jobs SET (autovacuum_enabled = false)`)
    await world.sql(`VACUUM ANALYZE ${schema}.jobs`)
  }

  async function insertManyJobs(schema: string): Promise<void> {
    await world.sql(
      `INSERT INTO ${schema}.jobs (id, kind, payload)
       SELECT gen_random_uuid(), 'probe', '1' FROM generate_series(1, 20000)`,
    )
  }

  test('on the caller’s connections do not long keep a plan that was made while the table was almost empty', async () => {
    const pool = new pg.Pool({ connectionString: world.url, max: 1 })
    // The server discards every plan when a session falls behind with changes of the catalogs, as beside other tests.
    let keptBadPlan = false
    for (let attempt = 1; !keptBadPlan; attempt += 1) {
      if (attempt > 5) throw new Error('no connection kept its plan')
      const schema = `theirs_${attempt}`
      await createEmptySchema(schema)
      const queue = createQueue({ pool, schema, preparedStatements: true })
      const workerId = await newWorker({ database: databaseOf(queue) })
      const claims = async (count: number): Promise<number> => {
        const before = await tableScans(queue)
        for (let n = 0; n < count; n += 1)
          await claim({ database: databaseOf(queue) }, workerId, { limit: 1 })
        return (await tableScans(queue)) - before
      }
      expect(await claims(8)).toBeGreaterThan(0)
      await insertManyJobs(schema)
      keptBadPlan = (await claims(1)) > 0
      await claims(20)
      expect(await claims(20)).toBe(0)
    }
    await pool.end()
  })

  test('on the queue’s own connections never scan the whole table, however full it was when they were planned', async () => {
    await createEmptySchema('own')
    const options = { connectionString: world.url, schema: 'own', poolMax: 1, preparedStatements: true }
    const queue = createQueue(options)
    // A second queue on the same pool, like the probes of a worker process.
    const sharedQueue = createQueue({ pool: databaseOf(queue).pool, schema: 'own', preparedStatements: true })
    const workerId = await newWorker({ database: databaseOf(queue) })
    const works = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const [job] = await claim({ database: databaseOf(queue) }, workerId, { limit: 1 })
        const lease = job?.lease ?? { jobId: '01900000-0000-7000-8000-000000000000', token: 1 }
        await finishJobs(databaseOf(sharedQueue), [{ lease, resultText: null, note: null }])
      }
    }
    const before = await tableScans(queue)
    await works(8)
    await insertManyJobs('own')
    await works(20)
    expect((await tableScans(queue)) - before).toBe(0)
    const { rows } = await databaseOf(queue).pool.query<{ kept: boolean }>(
      `SELECT generic_plans > 0 AS kept FROM pg_prepared_statements WHERE statement LIKE '%ended AS (%'`,
    )
    // There are two statements; the second serves jobs that stay, because the lease that is lost may be of one.
    expect(rows).toEqual([{ kept: true }, { kept: true }])
    await queue.close()
  })

  test.each([1, 5, 40])('plan the completion of %s jobs a few times and not each time', async (size) => {
    await createEmptySchema('own')
    await insertManyJobs('own')
    const options = { connectionString: world.url, schema: 'own', poolMax: 1, preparedStatements: true }
    const queue = createQueue(options)
    const lease = { jobId: '01900000-0000-7000-8000-000000000000', token: 1 }
    const writes = Array.from({ length: size }, () => ({ lease, resultText: null, note: null }))
    for (let n = 0; n < 12; n += 1) await finishJobs(databaseOf(queue), writes)
    const { rows } = await databaseOf(queue).pool.query<{ plans: number }>(
      `SELECT custom_plans::int AS plans FROM pg_prepared_statements WHERE statement LIKE '%ended AS (%'`,
    )
    // PostgreSQL makes five custom plans before it compares them with a generic one. The second statement serves jobs
    // that stay.
    expect(rows).toEqual([{ plans: 5 }, { plans: 5 }])
    await queue.close()
  })

  test('are prepared in a bounded number of forms, however many sets of columns their callers choose', async () => {
    const queue = createQueue({ connectionString: world.url, poolMax: 1, preparedStatements: true })
    const options: JobOptions[] = [
      { queue: 'other' },
      { tenantId: 'acme' },
      { priority: 1 },
      { maxAttempts: 1 },
      { timeoutMs: 1 },
      { traceContext: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    ]
    for (let set = 0; set < 2 ** options.length; set += 1) {
      const selected = options.filter((_, bit) => (set >> bit) % 2 === 1)
      const request = probe.create({}, Object.assign({}, ...selected) as JobOptions)
      expect(await queue.enqueueMany([probe.create({}), request], { notify: false })).toHaveLength(2)
    }
    expect((await databaseOf(queue).pool.query(countPlans)).rows.length).toBeLessThanOrEqual(32)
    await queue.close()
  })

  test('leave nothing on a connection by default, because a pooler may give it to another client', async () => {
    const queue = createQueue({ connectionString: world.url, poolMax: 1 })
    for (let n = 0; n < 3; n += 1) await queue.enqueue(probe, n)
    expect((await databaseOf(queue).pool.query(countPlans)).rows).toEqual([])
    await queue.close()
  })

  test('of two queues that share a pool do not mix', async () => {
    await migrateUp({ connectionString: world.url, schema: 'other' })
    const pool = new pg.Pool({ connectionString: world.url, max: 1 })
    const [firstQueue, secondQueue] = ['queue', 'other'].map((schema) =>
      createQueue({ pool, schema, preparedStatements: true }),
    )
    const jobs = await Promise.all([firstQueue, secondQueue].map(async (queue) => queue?.enqueue(probe, {})))
    expect(await secondQueue?.get(jobs[0]?.job.id ?? '')).toBeUndefined()
    expect(await secondQueue?.get(jobs[1]?.job.id ?? '')).toEqual(jobs[1]?.job)
    await Promise.all([firstQueue?.close(), secondQueue?.close()])
    await pool.end()
  })
})

/** How many sequential scans of the jobs the queue's only connection has counted. */
async function tableScans(queue: Queue): Promise<number> {
  const { pool, schema } = databaseOf(queue)
  await pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ scans: number }>(
    `SELECT coalesce(sum(seq_scan), 0)::int AS scans FROM pg_stat_user_tables WHERE relid = $1::regclass`,
    [`${schema}.jobs`],
  )
  return rows[0]?.scans ?? 0
}

test('callers that got no connection in time are counted, and failed connections are not', async () => {
  const database = connect({ connectionString: world.directUrl, poolMax: 1, acquireTimeoutMs: 1_000 })
  const connection = await database.pool.connect()
  await expect(database.run(sql`SELECT 1`)).rejects.toMatchObject({ code: 'database_unavailable' })
  connection.release()
  expect(acquireTimeoutsOf(database.pool)).toBe(1)
  await database.close()
  const nowhere = connect({ connectionString: 'postgres://127.0.0.1:1/none' })
  await expect(nowhere.run(sql`SELECT 1`)).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(acquireTimeoutsOf(nowhere.pool)).toBe(0)
  await nowhere.close()
})
