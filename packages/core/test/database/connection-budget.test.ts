import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler, until } from '@queue/dev-postgres'
import { sql } from 'kysely'
import pg from 'pg'
import type { ConnectOptions } from '../../src/database/connect.ts'
import { type Queue, createQueue } from '../../src/facade/queue.ts'
import { probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const describeWithSessions = skippedBehindPooler(
  'how many connections the server has is for the pooler to say',
)
  ? describe.skip
  : describe

const poolMax = 2
const queryTimeoutMs = 500
/** In this time each connection is given up about five times. */
const lockedMs = 2_500
/** More refusals than if each connection were given up once. */
const refusedMin = 2 * poolMax
/** More callers than connections. */
const callers = 4

interface Sessions {
  readonly name: string
  readonly all: number
  readonly waiting: number
}

/** The sessions on the server by name, and how many of each wait for a lock. */
function sessions(): Promise<Sessions[]> {
  return world.sql<Sessions>(
    `SELECT application_name AS name, count(*)::int AS all,
            (count(*) FILTER (WHERE wait_event_type = 'Lock'))::int AS waiting
       FROM pg_stat_activity WHERE application_name LIKE 'budget%' GROUP BY application_name`,
  )
}

/** The highest number of sessions of each name seen at one time while `work` ran. */
async function maxSessions(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const max = new Map<string, number>()
  let isOver = false
  const sampling = (async () => {
    while (!isOver) {
      for (const { name, all } of await sessions()) max.set(name, Math.max(max.get(name) ?? 0, all))
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await sampling
  }
  return max
}

/** Runs `work` while another session locks the jobs, so that no statement can read or write one. */
async function whileJobsLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const lockSession = await world.session()
  await lockSession.query('BEGIN; LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
  const result = await work()
  await lockSession.query('ROLLBACK')
  return result
}

/**
 * Repeats the call until the time is over and enough calls were refused, each with `database_unavailable`; returns how
 * many.
 */
async function countRefusals(call: () => Promise<unknown>): Promise<number> {
  const endMs = performance.now() + lockedMs
  let refusedCount = 0
  const calls = Array.from({ length: callers }, async () => {
    while (performance.now() < endMs || refusedCount <= refusedMin) {
      await expect(call()).rejects.toMatchObject({ code: 'database_unavailable' })
      refusedCount += 1
    }
  })
  await Promise.all(calls)
  return refusedCount
}

/** Options for each kind of pool, by the name of its sessions. */
const connectOptionsByName: Record<string, (applicationName: string) => ConnectOptions> = {
  'budget of our own pool': (applicationName) => ({
    connectionString: world.directUrl,
    poolMax,
    applicationName,
  }),
  'budget of our own sessions': (applicationName) => ({
    connectionString: world.directUrl,
    poolMax,
    applicationName,
    preparedStatements: true,
  }),
  'budget of the caller’s pool': (applicationName) => ({ pool: callersPool(applicationName, {}) }),
  'budget of a pool that pipelines': (applicationName) => ({
    pool: callersPool(applicationName, { pipeline: true }),
  }),
}

function callersPool(applicationName: string, options: pg.PoolConfig): pg.Pool {
  return new pg.Pool({
    connectionString: world.directUrl,
    max: poolMax,
    application_name: applicationName,
    ...options,
  })
}

/**
 * Waits until a statement is answered: on a busy machine the first one of a new connection may take longer than its
 * limit.
 */
async function answers(queue: Queue): Promise<void> {
  await until('the queue answers', () => queue.list())
}

async function close(queue: Queue): Promise<void> {
  await queue.close()
  if (!databaseOf(queue).pool.ended) await databaseOf(queue).pool.end()
}

describeWithSessions('behind a lock, however long it is held', () => {
  test('no pool has more connections than its maximum, and what was given up never happens', async () => {
    const queues = Object.entries(connectOptionsByName).map(([name, optionsOf]) =>
      createQueue({ ...optionsOf(name), queryTimeoutMs }),
    )
    const options = { connectionString: world.directUrl, poolMax, queryTimeoutMs }
    const transacting = createQueue({ ...options, applicationName: 'budget of transactions' })
    const renewed = createQueue({ ...options, applicationName: 'budget of what is renewed' })
    const all = [...queues, transacting, renewed]
    await Promise.all(all.map(answers))
    const work = [
      ...queues.map((queue) => () => queue.enqueue(probe, {})),
      () => databaseOf(transacting).transaction((inside) => inside.run(sql`DELETE FROM queue.jobs`)),
      () => renewed.list(),
    ]
    const max = await maxSessions(() =>
      whileJobsLocked(async () => {
        const renewing = setInterval(() => databaseOf(renewed).renewConnections(), 150)
        const refusedCount = await Promise.all(work.map(countRefusals))
        clearInterval(renewing)
        for (const count of refusedCount) expect(count).toBeGreaterThan(refusedMin)
      }),
    )
    expect(max.size).toBe(all.length)
    expect([...max].filter(([, count]) => count > poolMax)).toEqual([])
    await until('nobody waits any more', async () => (await sessions()).every(({ waiting }) => waiting === 0))
    expect((await world.queue.list()).jobs).toEqual([])
    for (const queue of all) {
      await answers(queue)
      await queue.enqueue(probe, {})
    }
    expect((await world.queue.list()).jobs).toHaveLength(all.length)
    await Promise.all(all.map(close))
  })

  test('an enqueue that the server has cancelled is not sent again', async () => {
    const queue = createQueue({ connectionString: world.directUrl, poolMax, queryTimeoutMs })
    let inserts = 0
    databaseOf(queue).pool.on('connect', (client) => {
      const query = client.query.bind(client) as (config: pg.QueryConfig, ...rest: unknown[]) => unknown
      client.query = ((config: pg.QueryConfig, ...rest: unknown[]) => {
        if (config.text.includes('INSERT')) inserts += 1
        return query(config, ...rest)
      }) as typeof client.query
    })
    await answers(queue)
    await whileJobsLocked(() =>
      expect(queue.enqueue(probe, {})).rejects.toMatchObject({ code: 'database_unavailable' }),
    )
    expect(inserts).toBe(1)
    await queue.close()
  })
})

interface PoolInternals {
  readonly connection: { readonly stream: { destroy(): void } }
}

describeWithSessions('a session of a pool of our own', () => {
  test('ends its statement by itself when its process has died, however long the lock is held', async () => {
    const applicationName = 'budget of the dead'
    const queue = createQueue({
      connectionString: world.directUrl,
      poolMax: 1,
      applicationName,
      // Longer than a busy machine takes to see the statement wait after its process has gone.
      queryTimeoutMs: 3_000,
      preparedStatements: true,
    })
    await answers(queue)
    const isWaiting = async (): Promise<boolean> =>
      (await sessions()).some(({ name, waiting }) => name === applicationName && waiting > 0)
    await whileJobsLocked(async () => {
      const listing = expect(queue.list()).rejects.toMatchObject({ code: 'database_unavailable' })
      await until('the statement waits', isWaiting)
      // To the server this looks like a killed process: the socket ends without a message before.
      const [client] = (databaseOf(queue).pool as unknown as { readonly _clients: PoolInternals[] })._clients
      client?.connection.stream.destroy()
      await listing
      expect(await isWaiting()).toBe(true)
      await until('it is gone', async () => !(await isWaiting()))
    })
    await queue.close()
  })
})
