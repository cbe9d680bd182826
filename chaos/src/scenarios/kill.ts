import { setTimeout as wait } from 'node:timers/promises'
import { busyMember } from '../fleet/busy-members.ts'
import type { Random } from '../nemesis/random.ts'
import { type Client, createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { createUniqueLoad, type UniqueLoad, uniqueWindowMs } from '../run/unique-load.ts'
import { wrongNumbers } from '../checker/check-numbers.ts'
import { uniqueCounts, wrongUniqueKeys } from '../checker/check-unique.ts'
import { withWorld, type World, type WorldOptions } from '../run/world.ts'
import type { Scenario, ScenarioContext, RunResult } from './scenario.ts'

const processes = 4
const load = {
  mix: ['succeed', 'succeed', 'succeed', 'linger', 'fail_once', 'snooze_once', 'transact', 'fail_always'],
  msMax: 12,
  // Crashes use up attempts. With few attempts, jobs would run out of them.
  maxAttempts: 25,
  cancelShare: 0.02,
} as const

/**
 * Worker processes are killed at random while they work. The jobs that they leave behind are recovered, and each ends once.
 * Some jobs have unique keys, for which several clients compete.
 */
export const kill: Scenario = {
  number: 2,
  name: 'kill',
  law: 'kill -9 loses nothing',
  counted: 'kills',
  full: { jobs: 200_000, count: 300, minutesMax: 60 },
  reduced: { jobs: 2_000, count: 10, minutesMax: 10 },
  run: (context) => killsWithin(context, { name: 'kill' }),
}

/** Runs the scenario in a world with these options. */
export function killsWithin(context: ScenarioContext, options: WorldOptions): Promise<RunResult> {
  return withWorld(context, options, async (world) => {
    const client = createClient(world.database.queue, world.history)
    const { database } = world
    const uniqueLoad = createUniqueLoad({ client, database, random: context.random.fork('unique keys') })
    await killWhileTheyWork(world, context, { client, uniqueLoad })
    await untilDrained(world.database, context)
    const finalFaults = await uniqueLoad.checkFinalAnswers()
    await untilDrained(world.database, context)
    const unclean = uncleanEnds(await world.fleet.stop())
    const uniqueKeys = await wrongUniqueKeys(database, uniqueLoad, uniqueWindowMs)
    const faults = [...unclean, ...finalFaults, ...uniqueKeys, ...(await wrongNumbers(world))]
    const kills = context.size.count
    const unique = uniqueCounts(uniqueLoad.answers)
    return conclude(world, {
      faults,
      counts: ({ evidence }) => ({
        kills,
        recovered: evidence.recovered,
        'done again': evidence.repeated,
        'late ends': evidence.lateEnds,
        'late writes refused': world.fleet.incidents('refused'),
        ...unique,
      }),
      // A killed process writes nothing late, but its handler may have ended without the end of its job.
      voidBecause: ({ evidence }) =>
        tooFewReason({
          'attempts recovered': { count: evidence.recovered, min: kills },
          // With few kills, all of them may meet handlers that have not started or have ended.
          'work done again': { count: evidence.repeated, min: Math.floor(kills / 10) },
          // The key of a waiting job is soon free again, so clients conflict in some rounds only, and with few kills perhaps
          // never.
          ...Object.fromEntries(
            Object.entries(unique).map(([name, count]) => [name, { count, min: 3 * Math.floor(kills / 10) }]),
          ),
        }),
    })
  })
}

/** Enqueues a share of the jobs before each kill, so that no kill meets an idle fleet. */
async function killWhileTheyWork(
  world: World,
  { size, random, progress, signal }: ScenarioContext,
  { client, uniqueLoad }: { readonly client: Client; readonly uniqueLoad: UniqueLoad },
): Promise<void> {
  const { feed } = createLoad(client, { ...load, jobs: size.jobs, random: random.fork('jobs') })
  const victims = random.fork('victims')
  await world.fleet.start(processes)
  for (let kills = 1; kills <= size.count; kills += 1) {
    signal.throwIfAborted()
    await feed(kills / size.count)
    await Promise.all([uniqueLoad.compete(), killOne(world, victims)])
    progress(`${kills} of ${size.count} kills`)
  }
}

/** Kills a process that has claimed jobs at a random moment of its work, and starts another one in its place. */
async function killOne(world: World, random: Random): Promise<void> {
  const victim = await busyMember(world, random)
  await wait(random.between(0, 20))
  world.history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
  victim.signal('SIGKILL')
  await victim.ended
  world.fleet.add()
}
