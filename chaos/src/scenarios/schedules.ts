import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { NewSchedule } from '@queue/core'
import { eventually, findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { chaosJob } from '../fleet/chaos-job.ts'
import type { FleetSettings } from '../fleet/fleet.ts'
import { tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { withWorld, type World } from '../run/world.ts'
import { type RestartableServer, restartServer, startRestartableServer } from './database-away.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const hourMs = 3_600_000
/** The offset of the clock of each process, in milliseconds. */
const clockOffsetsMs = [0, hourMs, -hourMs, 0]
const policies = ['all', 'once', 'skip'] as const
const msPerKill = 3_600
const killsPerRestart = 10
/** The time to fire what was due at the end of the last fault, in milliseconds. */
const settledWithinMs = 60_000

/**
 * Schedules with an interval of one second, each with one of the policies, while worker processes are killed and the database is
 * restarted. The clocks of some processes are an hour fast or slow. The jobs wait in a queue without workers, so that they
 * can be counted.
 */
export const schedules: Scenario = {
  number: 28,
  name: 'schedules',
  law: 'each instant of a schedule makes one job, or is dropped and counted as its policy says, whatever is killed',
  counted: 'kills',
  full: { jobs: 1_000, count: 50, minutesMax: 20 },
  reduced: { jobs: 30, count: 2, minutesMax: 10 },
  run: async (context) => {
    const home = await startRestartableServer()
    try {
      const ownContext = { ...context, serverUrl: home.server.url }
      return await withWorld(ownContext, { name: 'schedules' }, (world) =>
        fireAmidFaults(world, home, ownContext),
      )
    } finally {
      await home.server.stop()
      await rm(home.directory, { recursive: true, force: true })
    }
  },
}

/** The settings of a process whose clock has this offset. */
function withClock(offsetMs: number): FleetSettings {
  if (offsetMs === 0) return {}
  const shiftedDate = `const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...args) { args.length === 0 ? super(RealDate.now() + ${offsetMs}) : super(...args) }
  static now() { return RealDate.now() + ${offsetMs} }
}`
  return {
    env: {
      NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(shiftedDate).toString('base64')}`,
    },
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

async function fireAmidFaults(
  world: World,
  home: RestartableServer,
  context: ScenarioContext,
): Promise<RunResult> {
  const { database, fleet } = world
  const list = Array.from({ length: context.size.jobs }, (_, n) => scheduleOf(n))
  for (const offsetMs of clockOffsetsMs) await fleet.add(withClock(offsetMs)).started
  await database.queue.schedules.sync(list, { source: 'chaos', revision: 1 })
  await database.pool.query(
    `CREATE TABLE "${database.schema}".first_instants AS SELECT name, next_run_at FROM "${database.schema}".schedules
      WHERE last_run_at IS NULL
      UNION SELECT split_part(split_part(idempotency_key, '@', 1), ':', 2), min(split_part(idempotency_key, '@', 2)::timestamptz)
        FROM "${database.schema}".all_jobs WHERE queue = 'unserved' GROUP BY 1`,
  )
  const restarts = await killAndRestart(world, home, context)
  await untilFired(database)
  const faults = uncleanEnds(await fleet.stop())
  const runs = await readRuns(database)
  const sum = (read: (run: Runs) => number): number => runs.reduce((total, run) => total + read(run), 0)
  return resultOf({
    counts: {
      schedules: runs.length,
      kills: context.size.count,
      restarts,
      'clocks off': clockOffsetsMs.filter((offsetMs) => offsetMs !== 0).length,
      jobs: sum(({ jobs }) => jobs),
      dropped: sum(({ missed }) => missed),
    },
    faults: [...faults, ...runs.flatMap(faultsOf).slice(0, 20), ...(await findBrokenInvariants(database))],
    voidBecause: tooFewReason({
      schedules: { count: runs.length, min: context.size.jobs },
      'instants for each schedule': { count: sum(({ due }) => due), min: 5 * context.size.jobs },
      restarts: { count: restarts, min: 1 },
    }),
  })
}

/** Kills processes at random moments and replaces each, and sometimes restarts the server. Resolves with the restarts. */
async function killAndRestart(
  world: World,
  home: RestartableServer,
  context: ScenarioContext,
): Promise<number> {
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
    fleet.add(withClock(clockOffsetsMs[kills % clockOffsetsMs.length] ?? 0))
    if (kills % killsPerRestart === Math.min(size.count, killsPerRestart) - 1) {
      history.write({ type: 'nemesis', act: 'restart' })
      await home.server.stop()
      await restartServer(home)
      restarts += 1
    }
    progress(`${kills} of ${size.count} kills, ${restarts} restarts`)
  }
  return restarts
}

/** Waits until all schedules that are due now have fired. */
async function untilFired({ pool, schema }: TestDatabase): Promise<void> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now() AS now')
  await eventually(
    async () => {
      const late = await pool.query(`SELECT FROM "${schema}".schedules WHERE due_at <= $1 LIMIT 1`, [
        rows[0]?.now,
      ])
      return late.rows.length === 0
    },
    { deadlineMs: settledWithinMs, what: 'the firing of all due schedules' },
  )
}

/** The runs of one schedule. */
interface Runs {
  readonly name: string
  readonly policy: (typeof policies)[number]
  /** The number of its instants, from the first one to the last before its next run. */
  readonly due: number
  readonly jobs: number
  /** The number of distinct instants of the jobs. */
  readonly distinct: number
  /** The counts of the schedule itself. */
  readonly fired: number
  readonly missed: number
  /** Jobs that were created before their instant. */
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
       LEFT JOIN "${schema}".all_jobs AS j ON split_part(j.idempotency_key, '@', 1) = 'schedule:' || s.name
      GROUP BY s.name, s.missed, s.fired_count, s.missed_count, s.next_run_at, f.next_run_at`,
  )
  return rows
}

function faultsOf({ name, policy, due, jobs, distinct, fired, missed, early }: Runs): string[] {
  const summary = `${name} (${policy}): ${due} instants, ${jobs} jobs, ${fired} fired, ${missed} dropped`
  return [
    ...(early === 0 ? [] : [`${early} jobs were created before their instant: ${summary}`]),
    ...(distinct === jobs ? [] : [`an instant has two jobs: ${summary}`]),
    ...(fired === jobs ? [] : [`the schedule counts another number of runs than there are jobs: ${summary}`]),
    ...(fired + missed === due ? [] : [`an instant was lost: ${summary}`]),
    ...(policy === 'all' && missed > 0
      ? [`an instant was dropped although the policy is to make up for it: ${summary}`]
      : []),
  ]
}
