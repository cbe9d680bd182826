import { eventually } from '@queue/testing'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
const leaseMs = 2_500
const fleet = { concurrency: 1, leaseMs, heartbeatMs: 300, stallMs: 60_000 } as const
const spinMs = 3 * leaseMs

/** The process of the endless handler. */
const endless = { ...fleet, stallMs: 2_000 } as const
const endlessMs = 3_600_000
const tickMs = 250
/** How late threads and processes may be on a busy machine, in milliseconds. */
const slackMs = 5_000

/**
 * Handlers that block the event loop for three lease durations keep their jobs, and no second handler starts meanwhile. The
 * process of a handler that blocks it forever ends, and its job is recovered within the stall time, the lease and a tick.
 */
export const blocked: Scenario = {
  number: 11,
  name: 'blocked',
  law: 'a blocked event loop loses no job, an endless one gives its job up',
  counted: 'blocking handlers',
  full: { jobs: 0, count: 60, minutesMax: 15 },
  reduced: { jobs: 0, count: 3, minutesMax: 10 },
  run: async (context) => {
    const blocking = await withWorld(context, { name: 'blocked', fleet }, (world) =>
      runBlocking(world, context),
    )
    if (blocking.outcome !== 'held') return blocking
    const ended = await withWorld(context, { name: 'endless', fleet: endless }, (world) =>
      runEndless(world, context),
    )
    return { ...ended, counts: { ...ended.counts, ...blocking.counts } }
  },
}

async function runBlocking(world: World, context: ScenarioContext) {
  const { size } = context
  const client = createClient(world.database.queue, world.history)
  await world.fleet.start(processes)
  await client.enqueue(
    Array.from({ length: size.count }, (_, index) => ({
      key: `spin${index}`,
      plan: 'spin' as const,
      ms: spinMs,
    })),
  )
  await untilDrained(world.database, context)
  const unclean = uncleanEnds(await world.fleet.stop())
  const rerunCount = await countReruns(world)
  return conclude(world, {
    faults: [
      ...unclean,
      ...(rerunCount > 0
        ? [`${rerunCount} jobs of blocked handlers were recovered although their lease was valid`]
        : []),
    ],
    counts: ({ evidence }) => ({ 'blocking handlers': evidence.begun }),
    voidBecause: ({ evidence }) =>
      tooFewReason({ 'handlers that blocked their loop': { count: evidence.begun, min: size.count } }),
  })
}

async function countReruns({ database }: World): Promise<number> {
  const { rows } = await database.pool.query('SELECT FROM queue.all_jobs WHERE lease_token > 1')
  return rows.length
}

async function runEndless(world: World, context: ScenarioContext) {
  const client = createClient(world.database.queue, world.history)
  const delay = watchMachineDelay()
  await world.fleet.start(processes)
  await client.enqueue([{ key: 'endless', plan: 'spin', ms: endlessMs, options: { maxAttempts: 1 } }])
  const boundMs = endless.stallMs + endless.leaseMs + tickMs
  await eventually(async () => (await recoveredAfterMs(world)) !== undefined, {
    what: 'the recovery of the job of the endless handler',
  })
  const tookMs = (await recoveredAfterMs(world)) ?? Number.POSITIVE_INFINITY
  await untilDrained(world.database, context)
  delay.stop()
  const unclean = uncleanEnds(await world.fleet.stop())
  const late =
    tookMs > boundMs + slackMs + delay.allowanceMs()
      ? [`the endless handler's job was recovered after ${tookMs} ms`]
      : []
  return conclude(world, {
    faults: [...unclean, ...late],
    counts: () => ({ 'endless one taken over after ms': Math.round(tookMs) }),
    voidBecause: ({ evidence }) => (evidence.recovered === 0 ? 'nothing was recovered' : undefined),
  })
}

/** The time from the start of the endless handler to the recovery of its job, by the database's clock. */
async function recoveredAfterMs({ database }: World): Promise<number | undefined> {
  const { rows } = await database.pool.query<{ ms: number }>(
    `SELECT extract(epoch FROM a.at - e.at)::float8 * 1000 AS ms
       FROM chaos.audit AS a JOIN chaos.effects AS e ON e.job_id = a.job_id AND e.phase = 'begun'
      WHERE a.to_crashes > a.from_crashes`,
  )
  return rows[0]?.ms
}
