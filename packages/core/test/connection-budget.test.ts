import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler, until } from '@queue/dev-postgres'
import { sql } from 'kysely'
import pg from 'pg'
import type { ConnectOptions } from '../src/database/connect.ts'
import { createQueue, type Queue } from '../src/queue.ts'
import { probe } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const counting = skippedBehindPooler('how many connections the server has is for the pooler to say')
  ? describe.skip
  : describe

const poolMax = 2
const queryTimeoutMs = 500
/** Each connection is given up some five times meanwhile. */
const lockedMs = 2_500
/** So that no connection was given up only once. */
const refusedMin = 2 * poolMax
/** More than there are connections. */
const askers = 4

interface Sessions {
  readonly name: string
  readonly all: number
  readonly waiting: number
}

/** How many sessions of each name the server has, and how many of them wait for a lock. */
function sessions(): Promise<Sessions[]> {
  return world.sql<Sessions>(
    `SELECT application_name AS name, count(*)::int AS all,
            (count(*) FILTER (WHERE wait_event_type = 'Lock'))::int AS waiting
       FROM pg_stat_activity WHERE application_name LIKE 'budget%' GROUP BY application_name`,
  )
}

/** The most sessions of each name that were seen at once while `work` ran. */
async function mostSessions(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const most = new Map<string, number>()
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      for (const { name, all } of await sessions()) most.set(name, Math.max(most.get(name) ?? 0, all))
    }
  })()
  try {
    await work()
  } finally {
    isOver = true
    await watching
  }
  return most
}

/** Runs `work` while nobody can read or write a job. */
async function behindLock<Result>(work: () => Promise<Result>): Promise<Result> {
  const locker = await world.session()
  await locker.query('BEGIN; LOCK TABLE queue.jobs IN ACCESS EXCLUSIVE MODE')
  const result = await work()
  await locker.query('ROLLBACK')
  return result
}

/** Asks again and again until the time is over and enough was refused, each refusal being `database_unavailable`; gives their number. */
async function refusals(ask: () => Promise<unknown>): Promise<number> {
  const endMs = performance.now() + lockedMs
  let refused = 0
  const asking = Array.from({ length: askers }, async () => {
    while (performance.now() < endMs || refused <= refusedMin) {
      await expect(ask()).rejects.toMatchObject({ code: 'database_unavailable' })
      refused += 1
    }
  })
  await Promise.all(asking)
  return refused
}

/** Every way to have connections. */
const ways: Record<string, (applicationName: string) => ConnectOptions> = {
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

async function close(queue: Queue): Promise<void> {
  await queue.close()
  if (!queue.database.pool.ended) await queue.database.pool.end()
}

counting('behind a lock, however long it is held', () => {
  test('no pool has more connections than its maximum, and what was given up never happens', async () => {
    const queues = Object.entries(ways).map(([name, optionsOf]) =>
      createQueue({ ...optionsOf(name), queryTimeoutMs }),
    )
    const own = { connectionString: world.directUrl, poolMax, queryTimeoutMs }
    const transacting = createQueue({ ...own, applicationName: 'budget of transactions' })
    const renewed = createQueue({ ...own, applicationName: 'budget of what is renewed' })
    const all = [...queues, transacting, renewed]
    await Promise.all(all.map((queue) => queue.list()))
    const work = [
      ...queues.map((queue) => () => queue.enqueue(probe, {})),
      () => transacting.database.transaction((inside) => inside.run(sql`DELETE FROM queue.jobs`)),
      () => renewed.list(),
    ]
    const most = await mostSessions(() =>
      behindLock(async () => {
        const renewing = setInterval(() => renewed.database.renewConnections(), 150)
        const refused = await Promise.all(work.map(refusals))
        clearInterval(renewing)
        for (const count of refused) expect(count).toBeGreaterThan(refusedMin)
      }),
    )
    expect(most.size).toBe(all.length)
    expect([...most].filter(([, count]) => count > poolMax)).toEqual([])
    await until('nobody waits any more', async () => (await sessions()).every(({ waiting }) => waiting === 0))
    expect((await world.queue.list()).jobs).toEqual([])
    for (const queue of all) await queue.enqueue(probe, {})
    expect((await world.queue.list()).jobs).toHaveLength(all.length)
    await Promise.all(all.map(close))
  })

  test('an enqueue that the server has ended is not sent again, to wait for as long once more', async () => {
    const queue = createQueue({ connectionString: world.directUrl, poolMax, queryTimeoutMs: 100 })
    let inserts = 0
    queue.database.pool.on('connect', (client) => {
      const query = client.query.bind(client) as (config: pg.QueryConfig, ...rest: unknown[]) => unknown
      client.query = ((config: pg.QueryConfig, ...rest: unknown[]) => {
        if (config.text.includes('INSERT')) inserts += 1
        return query(config, ...rest)
      }) as typeof client.query
    })
    await behindLock(() =>
      expect(queue.enqueue(probe, {})).rejects.toMatchObject({ code: 'database_unavailable' }),
    )
    expect(inserts).toBe(1)
    await queue.close()
  })
})

interface Ending {
  readonly connection: { readonly stream: { destroy(): void } }
}

counting('a session of a pool of our own', () => {
  test('ends its statement by itself when its process has died, however long the lock is held', async () => {
    const applicationName = 'budget of the dead'
    const queue = createQueue({
      connectionString: world.directUrl,
      poolMax: 1,
      applicationName,
      queryTimeoutMs,
      preparedStatements: true,
    })
    await queue.list()
    const isWaiting = async (): Promise<boolean> =>
      (await sessions()).some(({ name, waiting }) => name === applicationName && waiting > 0)
    await behindLock(async () => {
      const listing = expect(queue.list()).rejects.toMatchObject({ code: 'database_unavailable' })
      await until('the statement waits', isWaiting)
      // The server sees what it sees of a process that was killed: a socket that has ended, and no word before.
      const [client] = (queue.database.pool as unknown as { readonly _clients: Ending[] })._clients
      client?.connection.stream.destroy()
      await listing
      expect(await isWaiting()).toBe(true)
      await until('it is gone', async () => !(await isWaiting()))
    })
    await queue.close()
  })
})
