import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { NewSchedule } from '@queue/core'
import { eventually, findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { FleetSettings } from '../fleet/fleet.ts'
import { tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Home, startAgain, startHome } from './database-away.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const hourMs = 3_600_000
/** By how much the clock of each process is off. */
const clocksOff = [0, hourMs, -hourMs, 0]
const policies = ['all', 'once', 'skip'] as const
const msPerKill = 3_600
const killsPerRestart = 10
/** What was due when the last fault was over is fired by then. */
const settledWithinMs = 60_000

/**
 * Schedules of one second, each under one of the policies, while worker processes are killed and the database is restarted. The
 * clocks of some processes are an hour fast or slow. Their jobs wait in a queue that nobody serves, so that they can be counted.
 */
export const schedules: Scenario = {
  number: 28,
  name: 'schedules',
  law: 'each instant of a schedule makes one job, or is dropped and counted as its policy says, whatever is killed',
  counted: 'kills',
  full: { jobs: 1_000, count: 50, minutesMax: 20 },
  reduced: { jobs: 30, count: 2, minutesMax: 10 },
  run: async (context) => {
    const home = await startHome()
    try {
      const here = { ...context, serverUrl: home.server.url }
      return await withWorld(here, { name: 'schedules' }, (world) => fireAmidFaults(world, home, here))
    } finally {
      await home.server.stop()
      await rm(home.directory, { recursive: true, force: true })
    }
  },
}

/** The settings of a process whose own clock is so far from the right time. */
function withClock(offMs: number): FleetSettings {
  if (offMs === 0) return {}
  const moved = `const Right = Date
globalThis.Date = class extends Right {
  constructor(...given) { given.length === 0 ? super(Right.now() + ${offMs}) : super(...given) }
  static now() { return Right.now() + ${offMs} }
}`
  return {
    env: { NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(moved).toString('base64')}` },
  }
}

function scheduleOf(n: number): NewSchedule {
  const timing = n % 2 === 0 ? { everyMs: 1_000 } : { cron: '* * * * * *' }
  return {
    ...timing,
    name: `s${n}`,
    definition: chaosJob,
    payload: { key: `s${n}`, plan: 'succeed', ms: 0 },
    options: { queue: 'unserved' },
    missed: policies[n % policies.length] ?? 'once',
  }
}

async function fireAmidFaults(world: World, home: Home, context: ScenarioContext): Promise<Verdict> {
  const { database, fleet } = world
  const list = Array.from({ length: context.size.jobs }, (_, n) => scheduleOf(n))
  for (const offMs of clocksOff) await fleet.add(withClock(offMs)).started
  await database.queue.schedules.sync(list, { source: 'chaos', revision: 1 })
  await database.pool.query(
    `CREATE TABLE "${database.schema}".first_instants AS SELECT name, next_run_at FROM "${database.schema}".schedules
      WHERE last_run_at IS NULL
      UNION SELECT split_part(split_part(idempotency_key, '@', 1), ':', 2), min(split_part(idempotency_key, '@', 2)::timestamptz)
        FROM "${database.schema}".jobs WHERE queue = 'unserved' GROUP BY 1`,
  )
  const restarts = await killAndRestart(world, home, context)
  await settled(database)
  const faults = uncleanEnds(await fleet.stop())
  const runs = await readRuns(database)
  const sum = (read: (run: Runs) => number): number => runs.reduce((total, run) => total + read(run), 0)
  return verdictOf({
    counts: {
      schedules: runs.length,
      kills: context.size.count,
      restarts,
      'clocks off': clocksOff.filter((offMs) => offMs !== 0).length,
      jobs: sum(({ jobs }) => jobs),
      dropped: sum(({ missed }) => missed),
    },
    faults: [...faults, ...runs.flatMap(faultsOf).slice(0, 20), ...(await findBrokenInvariants(database))],
    voidBecause: tooSeldom({
      schedules: { seen: runs.length, min: context.size.jobs },
      'instants for each schedule': { seen: sum(({ due }) => due), min: 5 * context.size.jobs },
      restarts: { seen: restarts, min: 1 },
    }),
  })
}

/** Kills a process at some moment, and restarts the server now and then; a new process takes the place of the killed one. */
async function killAndRestart(world: World, home: Home, context: ScenarioContext): Promise<number> {
  const { fleet, history } = world
  const { random, size, signal, progress } = context
  const draws = random.fork('kills')
  let restarts = 0
  for (let kills = 1; kills <= size.count; kills += 1) {
    signal.throwIfAborted()
    await wait(draws.between(msPerKill / 2, (3 * msPerKill) / 2))
    const victim = draws.pick(fleet.members)
    history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
    victim.signal('SIGKILL')
    await victim.ended
    fleet.add(withClock(clocksOff[kills % clocksOff.length] ?? 0))
    if (kills % killsPerRestart === Math.min(size.count, killsPerRestart) - 1) {
      history.write({ type: 'nemesis', act: 'restart' })
      await home.server.stop()
      await startAgain(home)
      restarts += 1
    }
    progress(`${kills} of ${size.count} kills, ${restarts} restarts`)
  }
  return restarts
}

/** Waits until everything that is due now has been fired. */
async function settled({ pool, schema }: TestDatabase): Promise<void> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now() AS now')
  await eventually(
    async () => {
      const late = await pool.query(`SELECT FROM "${schema}".schedules WHERE due_at <= $1 LIMIT 1`, [
        rows[0]?.now,
      ])
      return late.rows.length === 0
    },
    { deadlineMs: settledWithinMs, what: 'nothing that is late' },
  )
}

/** What became of one schedule. */
interface Runs {
  readonly name: string
  readonly policy: (typeof policies)[number]
  /** Its instants, from the first to before the next one. */
  readonly due: number
  readonly jobs: number
  /** Jobs with an instant of their own. */
  readonly distinct: number
  /** What the schedule itself has counted. */
  readonly fired: number
  readonly missed: number
  /** Jobs that were made before their instant. */
  readonly early: number
}

async function readRuns({ pool, schema }: TestDatabase): Promise<Runs[]> {
  const { rows } = await pool.query<Runs>(
    `SELECT s.name, s.missed AS policy, s.fired_count::int AS fired, s.missed_count::int AS missed,
            round(extract(epoch FROM s.next_run_at - f.next_run_at))::int AS due,
            count(j.id)::int AS jobs, count(DISTINCT j.idempotency_key)::int AS distinct,
            count(*) FILTER (WHERE j.created_at < split_part(j.idempotency_key, '@', 2)::timestamptz)::int AS early
       FROM "${schema}".schedules AS s
       JOIN (SELECT name, min(next_run_at) AS next_run_at FROM "${schema}".first_instants GROUP BY name) AS f USING (name)
       LEFT JOIN "${schema}".jobs AS j ON split_part(j.idempotency_key, '@', 1) = 'schedule:' || s.name
      GROUP BY s.name, s.missed, s.fired_count, s.missed_count, s.next_run_at, f.next_run_at`,
  )
  return rows
}

function faultsOf({ name, policy, due, jobs, distinct, fired, missed, early }: Runs): string[] {
  const said = `${name} (${policy}): ${due} instants, ${jobs} jobs, ${fired} fired, ${missed} dropped`
  return [
    ...(early === 0 ? [] : [`${early} jobs were made before their instant: ${said}`]),
    ...(distinct === jobs ? [] : [`an instant has two jobs: ${said}`]),
    ...(fired === jobs ? [] : [`what was fired is not what is there: ${said}`]),
    ...(fired + missed === due ? [] : [`an instant was lost: ${said}`]),
    ...(policy === 'all' && missed > 0 ? [`an instant was dropped that is to be made up for: ${said}`] : []),
  ]
}
