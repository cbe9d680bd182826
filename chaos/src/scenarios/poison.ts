import type { TestDatabase } from '@queue/testing'
import { describeEnd } from '../fleet/worker-process.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
const innocents = { mix: ['succeed'], msMax: 40, maxAttempts: 3 } as const
/** The number of waves in which poison pills are enqueued. */
const waves = 5
const pillAttempts = [2, 3] as const

/**
 * Some jobs, the poison pills, kill the process that runs them, at every attempt. Each of them is dead-lettered within its
 * attempts, and none of the other jobs that ran in the same process is.
 */
export const poison: Scenario = {
  number: 10,
  name: 'poison',
  law: 'poison pills take nobody with them',
  counted: 'pills',
  full: { jobs: 20_000, count: 100, minutesMax: 30 },
  reduced: { jobs: 200, count: 3, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'poison' }, async (world) => {
      const { deaths, unclean } = await dieWhileTheyWork(world, context)
      unclean.push(...(await world.fleet.stop()))
      const pills = await readPills(world.database)
      const hit = await countHitInnocents(world.database)
      return conclude(world, {
        faults: [...uncleanEnds(unclean), ...pillFaults(pills, context.size.count)],
        counts: () => ({
          pills: pills.length,
          'processes killed': deaths,
          'innocents that ran again': hit,
          'pills that never began': pills.filter(({ runs }) => runs === 0).length,
        }),
        voidBecause: () =>
          tooFewReason({
            'processes killed': { count: deaths, min: context.size.count },
            'innocents that ran beside a pill': { count: hit, min: context.size.count / 4 },
          }),
      })
    }),
}

interface Deaths {
  readonly deaths: number
  /** The ends of processes that no pill has killed. */
  readonly unclean: string[]
}

/** Runs the load and the pills, and starts another process for each that dies. */
async function dieWhileTheyWork(world: World, context: ScenarioContext): Promise<Deaths> {
  const { fleet, database, history } = world
  const { size, random } = context
  const unclean: string[] = []
  let deaths = 0
  let isOver = false
  const replaceWhenDead = (member = fleet.add()): void =>
    void member.ended.then((end) => {
      if (isOver) return
      if (end.signal === 'SIGKILL') deaths += 1
      else unclean.push(describeEnd(end))
      replaceWhenDead()
    })
  try {
    await fleet.start(processes)
    for (const member of fleet.members) replaceWhenDead(member)
    const client = createClient(database.queue, history)
    const { feed } = createLoad(client, { ...innocents, jobs: size.jobs, random: random.fork('jobs') })
    let pills = 0
    for (let wave = 1; wave <= waves; wave += 1) {
      await feed(wave / waves)
      for (; pills < Math.ceil((wave * size.count) / waves); pills += 1) {
        const maxAttempts = random.pick(pillAttempts)
        await client.enqueue([{ key: `pill${pills}`, plan: 'die', ms: 0, options: { maxAttempts } }])
      }
    }
    await untilDrained(database, context)
  } finally {
    // A stopped run ends its processes as well; these are no deaths.
    isOver = true
  }
  return { deaths, unclean }
}

interface Pill {
  readonly key: string
  readonly status: string
  readonly runs: number
  readonly max_attempts: number
  /** Whether its worker was lost at every attempt. */
  readonly is_always_lost: boolean
}

async function readPills({ pool }: TestDatabase): Promise<Pill[]> {
  const { rows } = await pool.query<Pill>(
    `SELECT j.payload ->> 'key' AS key, j.status::text AS status, j.max_attempts,
            (SELECT count(*) FROM chaos.effects AS e WHERE e.job_id = j.id AND e.phase = 'begun')::int AS runs,
            (SELECT bool_and(outcome = 'lost') FROM queue.job_executions AS x WHERE x.job_id = j.id) AS is_always_lost
       FROM queue.all_jobs AS j WHERE j.payload ->> 'plan' = 'die'`,
  )
  return rows
}

/** A pill may never start: another pill can kill the process that has claimed both, and the attempt is charged anyway. */
function pillFaults(pills: readonly Pill[], expected: number): string[] {
  const faulty = pills.filter(
    ({ status, runs, max_attempts: max, is_always_lost: isAlwaysLost }) =>
      status !== 'failed_permanent' || runs > max || !isAlwaysLost,
  )
  return [
    ...(pills.length === expected ? [] : [`${pills.length} of ${expected} pills exist`]),
    ...faulty.map(
      (pill) => `${pill.key} is ${pill.status} after ${pill.runs} runs of ${pill.max_attempts} at most`,
    ),
  ]
}

/** The number of other jobs whose process was killed by a pill. The checker verifies that each of them succeeded. */
async function countHitInnocents({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query<{ hit: number }>(
    `SELECT count(*)::int AS hit FROM queue.all_jobs WHERE crashes > 0 AND payload ->> 'plan' <> 'die'`,
  )
  return rows[0]?.hit ?? 0
}
