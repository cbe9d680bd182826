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
const concurrency = 5
/** The default time that a process waits for a claim, in milliseconds; for a short lock it is a tenth of the lock. */
const queryTimeoutMsMax = 10_000
/** The lock is held until this many claims wait: more than the workers still wait for. */
const waitingMin = processes + 1

function queryTimeoutMsOf({ count }: ScenarioSize): number {
  return Math.min(queryTimeoutMsMax, count * 100)
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
    // Without prefetch, a job is returned unstarted only if a claim was lost.
    const fleet = { concurrency, queryTimeoutMs, prefetch: 0, leaseMs: 10_000, heartbeatMs: 1_000 }
    return withWorld(context, { name: 'given-up', fleet }, async (world) => {
      const proxy = await startFaultProxy({ databaseUrl: world.database.url, losesCancels: true })
      try {
        await Promise.all(
          [{}, { databaseUrl: proxy.url }].map((overrides) => world.fleet.add(overrides).started),
        )
        const lock = await lockQueues(world, context)
        await untilDrained(world.database, context)
        const unclean = uncleanEnds(await world.fleet.stop())
        const returned = await countReturned(world)
        const failedAfter = world.fleet.incidents('claim failed') - lock['claims given up']
        return await conclude(world, {
          faults: [...unclean, ...claimedWithoutAnswer(returned, failedAfter)],
          counts: () => ({
            'seconds of lock': context.size.count,
            ...lock,
            returned: returned.reduce((sum, jobs) => sum + jobs, 0),
          }),
          voidBecause: () =>
            tooFewReason({
              'claims given up': { count: lock['claims given up'], min: givenUpMin(context.size) },
              'claims waiting at the end': { count: lock['claims waiting at the end'], min: waitingMin },
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
  /** Backends that wait for the lock: more than the workers still wait for. */
  readonly 'claims waiting at the end': number
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
        'SELECT count(*)::int AS waiting FROM pg_locks WHERE relation = $1::regclass AND NOT granted',
        [table],
      )
      const [failed, waiting] = [fleet.incidents('claim failed'), rows[0]?.waiting ?? 0]
      const isEnough = failed >= givenUpMin(size) && waiting >= waitingMin
      return isEnough && { 'claims given up': failed, 'claims waiting at the end': waiting }
    })
    await holder.query('COMMIT')
    return lock
  } finally {
    holder.release(true)
  }
}

/** The number of jobs that were returned unstarted, for each worker that returned any. */
async function countReturned({ database }: World): Promise<readonly number[]> {
  const { rows } = await database.pool.query<{ returned: number }>(
    `SELECT count(*)::int AS returned FROM chaos.audit
      WHERE from_status = 'running' AND to_attempts < from_attempts GROUP BY worker_id`,
  )
  return rows.map(({ returned }) => returned)
}

/**
 * On a busy machine, a claim that got its locks in time may be answered too late: the claim that ran when the lock was released,
 * and those that failed after it.
 */
function claimedWithoutAnswer(returned: readonly number[], failedAfter: number): string[] {
  return returned
    .filter((jobs) => jobs > concurrency * (1 + failedAfter))
    .map((jobs) => `${jobs} jobs were claimed by claims that their worker had given up`)
}
