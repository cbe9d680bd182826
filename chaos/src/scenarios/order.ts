import { setTimeout as wait } from 'node:timers/promises'
import { checkOrder } from '../checker/check-order.ts'
import { busyMember } from '../fleet/busy-members.ts'
import type { Plan } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import { createClient } from '../run/client.ts'
import { databaseNowMs } from '../run/database-now.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 4
const concurrency = 10
const batchMax = 200
const msMax = 5
const maxAttempts = 25
/** The number of keys in a full run. */
const keysMax = 1_000
const jobsPerKey = 10
const mix: readonly Plan[] = ['succeed', 'succeed', 'fail_once', 'snooze_once', 'transact', 'linger']
/** The queues, and whether a job that waits for its retry blocks the others of its key. */
const orders = { blocking: 'block', passing: 'continue' } as const

/**
 * Worker processes are killed at random while they run jobs of ordered keys, which fail, snooze and are enqueued meanwhile, some
 * with a better priority. Notifications are off.
 */
export const order: Scenario = {
  number: 32,
  name: 'order',
  law: 'jobs of a key in order start in it, and none beside another, whatever is killed',
  counted: 'kills',
  full: { jobs: 40_000, count: 100, minutesMax: 45 },
  reduced: { jobs: 400, count: 3, minutesMax: 10 },
  run: (context) => {
    const fleet = { concurrency, queues: Object.keys(orders), notifications: false }
    return withWorld(context, { name: 'order', fleet }, (world) => killAndCheck(world, context))
  },
}

async function killAndCheck(world: World, context: ScenarioContext) {
  const { database, fleet } = world
  const kills = context.size.count
  for (const [queue, onRetry] of Object.entries(orders))
    await database.queue.limits.set({ queue, scope: 'each_key', ordered: { onRetry } })
  const committedMs = await killWhileTheyWork(world, context)
  await untilDrained(database, context)
  const unclean = uncleanEnds(await fleet.stop())
  const { faults, restarted, ahead } = await checkOrder(database, { orders, committedMs })
  return conclude(world, {
    faults: [...unclean, ...faults],
    counts: ({ evidence }) => ({
      kills,
      recovered: evidence.recovered,
      'started again': restarted,
      'came ahead': ahead,
    }),
    voidBecause: ({ evidence }) =>
      tooFewReason({
        'attempts recovered': { count: evidence.recovered, min: kills },
        'started again': { count: restarted, min: context.size.jobs / 10 },
        'started before one that had come earlier': { count: ahead, min: 1 },
      }),
  })
}

/** Resolves with an upper bound for the commit time of each job. */
async function killWhileTheyWork(world: World, context: ScenarioContext): Promise<Map<string, number>> {
  const { size, random, progress, signal } = context
  const victims = random.fork('victims')
  const committedMs = new Map<string, number>()
  const feed = createFeed(world, context, committedMs)
  await feed(1 / (size.count + 1))
  await world.fleet.start(processes)
  for (let kills = 1; kills <= size.count; kills += 1) {
    signal.throwIfAborted()
    await Promise.all([feed((kills + 1) / (size.count + 1)), killOne(world, victims)])
    progress(`${kills} of ${size.count} kills`)
  }
  return committedMs
}

/** Creates a function that enqueues jobs of random keys up to a share of all jobs; one in eight has a better priority. */
function createFeed(
  world: World,
  { size, random }: ScenarioContext,
  committedMs: Map<string, number>,
): (share: number) => Promise<void> {
  const client = createClient(world.database.queue, world.history)
  const draws = random.fork('jobs')
  const queues = Object.keys(orders)
  const keys = Math.min(keysMax, Math.ceil(size.jobs / queues.length / jobsPerKey))
  let fed = 0
  const next = () => ({
    plan: draws.pick(mix),
    key: `job ${(fed += 1)}`,
    ms: draws.between(0, msMax),
    options: {
      queue: draws.pick(queues),
      key: `k${draws.between(1, keys)}`,
      maxAttempts,
      ...(draws.chance(1 / 8) ? { priority: 0 } : {}),
    },
  })
  return async (share) => {
    const upTo = Math.ceil(share * size.jobs)
    while (fed < upTo) {
      const ids = await client.enqueue(Array.from({ length: Math.min(batchMax, upTo - fed) }, next))
      const nowMs = await databaseNowMs(world.database)
      for (const id of ids ?? []) committedMs.set(id, nowMs)
    }
  }
}

async function killOne(world: World, random: Random): Promise<void> {
  const victim = await busyMember(world, random)
  await wait(random.between(0, 20))
  world.history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
  victim.signal('SIGKILL')
  await victim.ended
  await world.fleet.add().started
}
