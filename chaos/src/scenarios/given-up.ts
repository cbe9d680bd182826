import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext, ScenarioSize } from './scenario.ts'

/** The cancel requests of one process reach the server; those of the other get lost. */
const processes = 2
/** The default time that a process waits for a claim, in milliseconds; for a short lock it is a tenth of the lock. */
const queryTimeoutMsMax = 10_000

function queryTimeoutMsOf({ count }: ScenarioSize): number {
  return Math.min(queryTimeoutMsMax, count * 100)
}

/**
 * A claim that is so old has been given up for long: its worker waits half of this. On a busy machine a claim that got its
 * locks in time is a little late with what it takes, but not this late.
 */
function givenUpMsOf(size: ScenarioSize): number {
  return 2 * queryTimeoutMsOf(size)
}

/** The lock is held until this many claims were given up. A worker waits between two claims, longer after each failure. */
function givenUpMin(size: ScenarioSize): number {
  return (processes * size.count * 1_000) / queryTimeoutMsOf(size) / 4
}

/**
 * A lock on the table of the queues is held for longer than workers wait for their claims. When it is released, the claims that
 * they have given up claim nothing: every job runs, and none stays running for a worker that does not know of it.
 */
export const givenUp: Scenario = {
  number: 19,
  name: 'given-up',
  law: 'a claim that waits behind a lock until its worker has given it up takes nothing',
  counted: 'seconds of lock',
  full: { jobs: 300, count: 240, minutesMax: 15 },
  reduced: { jobs: 100, count: 5, minutesMax: 10 },
  run: (context) => {
    const queryTimeoutMs = queryTimeoutMsOf(context.size)
    const fleet = { concurrency: 5, queryTimeoutMs, prefetch: 0, leaseMs: 10_000, heartbeatMs: 1_000 }
    return withWorld(context, { name: 'given-up', fleet }, async (world) => {
      const proxy = await startFaultProxy({ databaseUrl: world.database.url, losesCancels: true })
      try {
        await Promise.all(
          [{}, { databaseUrl: proxy.url }].map((overrides) => world.fleet.add(overrides).started),
        )
        const lock = await lockQueues(world, context)
        await untilDrained(world.database, context)
        const unclean = uncleanEnds(await world.fleet.stop())
        const late = await countClaimedLate(world, givenUpMsOf(context.size))
        return await conclude(world, {
          faults: [
            ...unclean,
            ...(late > 0 ? [`${late} jobs were claimed by claims that their worker had given up`] : []),
          ],
          counts: () => ({ 'seconds of lock': context.size.count, ...lock }),
          voidBecause: () =>
            tooFewReason({
              'claims given up': { count: lock['claims given up'], min: givenUpMin(context.size) },
              'given up and waiting at the end': { count: lock['given up and waiting at the end'], min: 1 },
            }),
        })
      } finally {
        await world.fleet.kill()
        await proxy.close()
      }
    })
  },
}

interface Lock {
  readonly 'claims given up': number
  /** Claims that still wait for the lock on the server, and that their workers have given up. */
  readonly 'given up and waiting at the end': number
}

/** Locks the table of the queues for at least as long as the size says, and enqueues the jobs meanwhile. */
async function lockQueues(world: World, { size, signal }: ScenarioContext): Promise<Lock> {
  const { database, fleet, history } = world
  const table = `"${database.schema}".queues`
  const holder = await database.pool.connect()
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    history.write({ type: 'nemesis', act: 'lock' })
    await createClient(database.queue, history).enqueue(
      Array.from({ length: size.jobs }, (_, n) => ({ key: `k${n}`, plan: 'succeed' as const, ms: 1 })),
    )
    await wait(size.count * 1_000, undefined, { signal })
    const lock = await eventually(async () => {
      const { rows } = await holder.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE relation = $1::regclass AND NOT granted
            AND query_start < clock_timestamp() - $2 * interval '1 millisecond'`,
        [table, givenUpMsOf(size)],
      )
      const [failed, waiting] = [fleet.incidents('claim failed'), rows[0]?.waiting ?? 0]
      const isEnough = failed >= givenUpMin(size) && waiting >= 1
      return isEnough && { 'claims given up': failed, 'given up and waiting at the end': waiting }
    })
    await holder.query('COMMIT')
    return lock
  } finally {
    holder.release(true)
  }
}

/** The number of jobs that were claimed by statements older than `ms`. */
async function countClaimedLate({ database }: World, ms: number): Promise<number> {
  const { rows } = await database.pool.query<{ late: number }>(
    `SELECT count(*)::int AS late FROM chaos.audit
      WHERE from_status <> 'running' AND to_status = 'running' AND at - began_at > $1 * interval '1 millisecond'`,
    [ms],
  )
  return rows[0]?.late ?? 0
}
