import { setTimeout as wait } from 'node:timers/promises'
import { busyMember } from '../fleet/busy-members.ts'
import type { Random } from '../nemesis/random.ts'
import { type Client, createClient } from '../run/client.ts'
import { conclude, tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { createUniqueLoad, type UniqueLoad } from '../run/unique-load.ts'
import { wrongNumbers } from '../checker/check-numbers.ts'
import { uniqueCounts, wrongUniqueKeys } from '../checker/check-unique.ts'
import { withWorld, type World, type WorldOptions } from '../run/world.ts'
import type { Scenario, ScenarioContext, Verdict } from './scenario.ts'

const processes = 4
const load = {
  mix: ['succeed', 'succeed', 'succeed', 'linger', 'fail_once', 'snooze_once', 'transact', 'fail_always'],
  msMax: 12,
  // Crashes use up attempts, and a job that is unlucky this often would hide what the scenario looks for.
  maxAttempts: 25,
  cancelShare: 0.02,
} as const

/**
 * Worker processes are killed at random while they work; what they leave behind is taken over, and ends once. Part of the
 * jobs have unique keys, which several clients want at a time.
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

/** The whole run, in a world of these options. */
export function killsWithin(context: ScenarioContext, options: WorldOptions): Promise<Verdict> {
  return withWorld(context, options, async (world) => {
    const client = createClient(world.database.queue, world.history)
    const uniqueLoad = createUniqueLoad(client, context.random.fork('unique keys'))
    await killWhileTheyWork(world, context, { client, uniqueLoad })
    await drained(world.database, context)
    const held = await uniqueLoad.askOnceMore()
    await drained(world.database, context)
    const unclean = uncleanEnds(await world.fleet.stop())
    const uniqueKeys = await wrongUniqueKeys(world, uniqueLoad.answers)
    const faults = [...unclean, ...held, ...uniqueKeys, ...(await wrongNumbers(world))]
    const kills = context.size.count
    const unique = uniqueCounts(uniqueLoad.answers)
    return conclude(world, {
      faults,
      counts: ({ signs }) => ({
        kills,
        recovered: signs.recovered,
        'done again': signs.repeated,
        'late ends': signs.lateEnds,
        'late writes refused': world.fleet.mishaps('refused'),
        ...unique,
      }),
      // A killed process writes nothing late. What it can do is end its handler's work and not its job.
      voidBecause: ({ signs }) =>
        tooSeldom({
          'attempts recovered': { seen: signs.recovered, min: kills },
          // A few kills may all meet handlers that have not begun, or have ended.
          'work done again': { seen: signs.repeated, min: Math.floor(kills / 10) },
          // A key of a job that waits is soon free: its rivals meet it in some of the rounds only, and in a few perhaps never.
          ...Object.fromEntries(
            Object.entries(unique).map(([what, seen]) => [what, { seen, min: 3 * Math.floor(kills / 10) }]),
          ),
        }),
    })
  })
}

/** Before each kill, its share of the jobs is enqueued, so that none meets an idle fleet. */
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

/** Kills a process that has claimed jobs, at some moment of its work, and starts another one in its place. */
async function killOne(world: World, random: Random): Promise<void> {
  const victim = await busyMember(world, random)
  await wait(random.between(0, 20))
  world.history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
  victim.signal('SIGKILL')
  await victim.ended
  world.fleet.add()
}
