import type { TestDatabase } from '@queue/testing'
import { describeEnd } from '../fleet/worker-process.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
const innocents = { mix: ['succeed'], msMax: 40, maxAttempts: 3 } as const
/** The poison pills come in so many waves. */
const waves = 5
const pillAttempts = [2, 3] as const

/**
 * Some jobs kill the process that runs them, at every attempt. Each of them becomes a dead letter within its attempts,
 * and none of the jobs that ran beside them does.
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
          tooSeldom({
            'processes killed': { seen: deaths, min: context.size.count },
            'innocents that ran beside a pill': { seen: hit, min: context.size.count / 4 },
          }),
      })
    }),
}

interface Deaths {
  readonly deaths: number
  /** How processes have ended that no pill has killed. */
  readonly unclean: string[]
}

/** Starts another process for each that dies. */
async function dieWhileTheyWork(world: World, context: ScenarioContext): Promise<Deaths> {
  const { fleet, database, history } = world
  const { size, random } = context
  const unclean: string[] = []
  let deaths = 0
  let over = false
  const replaceWhenDead = (member = fleet.add()): void =>
    void member.ended.then((end) => {
      if (over) return
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
    await drained(database, context)
  } finally {
    // A run that is broken off ends its processes as well.
    over = true
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
       FROM queue.jobs AS j WHERE j.payload ->> 'plan' = 'die'`,
  )
  return rows
}

/** A pill may never begin: what its process had claimed beside another pill that killed it is charged, run or not. */
function pillFaults(pills: readonly Pill[], expected: number): string[] {
  const wrong = pills.filter(
    ({ status, runs, max_attempts: max, is_always_lost: isAlwaysLost }) =>
      status !== 'failed_permanent' || runs > max || !isAlwaysLost,
  )
  return [
    ...(pills.length === expected ? [] : [`${pills.length} of ${expected} pills are there`]),
    ...wrong.map(
      (pill) => `${pill.key} is ${pill.status} after ${pill.runs} runs of ${pill.max_attempts} at most`,
    ),
  ]
}

/** Innocent jobs that a pill took down with its process. That each of them succeeded is what the checker holds. */
async function countHitInnocents({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query<{ hit: number }>(
    `SELECT count(*)::int AS hit FROM queue.jobs WHERE crashes > 0 AND payload ->> 'plan' <> 'die'`,
  )
  return rows[0]?.hit ?? 0
}
