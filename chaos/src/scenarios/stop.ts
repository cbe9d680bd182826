import { setTimeout as wait } from 'node:timers/promises'
import { endedAttempts } from '@queue/test-database'
import { busyMember } from '../fleet/busy-members.ts'
import { describeEnd } from '../fleet/worker-process.ts'
import type { Random } from '../nemesis/random.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import { stopWorkerApps } from '../stops/stop-worker-apps.ts'
import type { RunResult, Scenario, ScenarioContext } from './scenario.ts'

const processes = 3
// Some handlers run longer than the grace period, and their jobs are released. The lease is long, so that a slow stop does not
// look like a lost worker.
const fleet = { shutdownGraceMs: 100, leaseMs: 15_000, heartbeatMs: 1_000 } as const
const load = {
  mix: ['succeed', 'succeed', 'linger', 'fail_once', 'snooze_once'],
  msMax: 200,
  maxAttempts: 25,
} as const

/**
 * Worker processes are stopped gracefully at random moments: those of `apps/worker` in their start, their work and after it, and
 * those of the fleet in the midst of a load. Each ends with exit code 0, no job is lost or left running, and no attempt is charged
 * for a job that never started.
 */
export const stop: Scenario = {
  number: 13,
  name: 'stop',
  law: 'a graceful stop charges nothing that never began',
  counted: 'stops',
  full: { jobs: 50_000, count: 300, minutesMax: 45 },
  reduced: { jobs: 200, count: 6, minutesMax: 10 },
  run: async (context) => {
    const apps = await stopWorkerApps(context)
    if (apps.outcome !== 'held') return apps
    const members = await stopFleetMembers(context)
    return { ...members, counts: { ...members.counts, ...apps.counts } }
  },
}

function stopFleetMembers(context: ScenarioContext): Promise<RunResult> {
  return withWorld(context, { name: 'stop', fleet }, async (world) => {
    const unclean = await stopWhileTheyWork(world, context)
    await untilDrained(world.database, context)
    unclean.push(...(await world.fleet.stop()))
    const { released, returned } = await countReturned(world)
    return conclude(world, {
      faults: [...uncleanEnds(unclean), ...(await chargedWithoutStart(world))],
      counts: ({ evidence }) => ({
        stops: context.size.count,
        released,
        'returned unstarted': returned,
        recovered: evidence.recovered,
      }),
      voidBecause: () =>
        tooFewReason({
          'running jobs released': { count: released, min: context.size.count / 10 },
          // With ten stops, no job may be waiting in memory at any of them. Only the full size requires it.
          'jobs returned unstarted': {
            count: returned,
            min: Math.floor(context.size.count / 50),
          },
        }),
    })
  })
}

/** Resolves with the ends of processes that did not stop cleanly. */
async function stopWhileTheyWork(world: World, context: ScenarioContext): Promise<string[]> {
  const { size, random, progress, signal } = context
  const client = createClient(world.database.queue, world.history)
  const { feed } = createLoad(client, { ...load, jobs: size.jobs, random: random.fork('jobs') })
  const victims = random.fork('victims')
  const unclean: string[] = []
  await world.fleet.start(processes)
  for (let stops = 1; stops <= size.count; stops += 1) {
    signal.throwIfAborted()
    await feed(stops / size.count)
    unclean.push(...(await stopOne(world, victims)))
    progress(`${stops} of ${size.count} stops`)
  }
  return unclean
}

async function stopOne(world: World, random: Random): Promise<string[]> {
  const member = await busyMember(world, random)
  await member.started
  await wait(random.between(0, 50))
  world.history.write({ type: 'nemesis', act: 'SIGTERM', target: member.idPrefix })
  member.signal('SIGTERM')
  world.fleet.add()
  const end = await member.ended
  return end.code === 0 ? [] : [describeEnd(end)]
}

/** The faults of attempts that were charged although their handler never started. */
async function chargedWithoutStart({ database }: World): Promise<string[]> {
  const { rows } = await database.pool.query<{ job_id: string; from_token: string; to_status: string }>(
    `SELECT a.job_id, a.from_token, a.to_status FROM chaos.audit AS a
      WHERE a.from_status = 'running' AND a.to_attempts = a.from_attempts
        AND NOT EXISTS (SELECT FROM chaos.effects AS e
                         WHERE e.job_id = a.job_id AND e.lease_token = a.from_token AND e.phase = 'begun')`,
  )
  return rows.map(
    (row) =>
      `job ${row.job_id}: lease ${row.from_token} was charged but never started, and the job is ${row.to_status}`,
  )
}

async function countReturned({ database }: World): Promise<{ released: number; returned: number }> {
  const { rows } = await database.pool.query<{ released: number; returned: number }>(
    `SELECT (SELECT count(*) FROM queue.job_executions WHERE outcome = 'released')::int AS released,
            (SELECT count(*) FROM chaos.audit AS a
              WHERE a.from_status = 'running' AND a.to_attempts < a.from_attempts
                AND NOT EXISTS (SELECT FROM ${endedAttempts('queue')} AS x
                                 WHERE x.job_id = a.job_id AND x.lease_token = a.from_token))::int AS returned`,
  )
  const [row] = rows
  return { released: row?.released ?? 0, returned: row?.returned ?? 0 }
}
