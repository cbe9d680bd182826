import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { busyMember } from '../fleet/busy-members.ts'
import type { WorkerProcess } from '../fleet/worker-process.ts'
import type { Random } from '../nemesis/random.ts'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { createLoad, type Load } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

/** How many processes are paused at a time. One more process is never paused, so that recovery always runs. */
const lanes = 3
const fleet = { leaseMs: 1_000, heartbeatMs: 300 } as const
const load = {
  // A lingering handler ends as soon as its process continues, and its finish comes late.
  mix: ['linger', 'linger', 'linger', 'succeed', 'transact', 'fail_once'],
  msMax: 250,
  maxAttempts: 25,
} as const
const lostWithin = { intervalMs: 20, what: 'the loss of a paused worker' }

/**
 * Worker processes are stopped with SIGSTOP until others have recovered their jobs. Then they continue as if they still held the
 * leases: their writes must be refused.
 */
export const pause: Scenario = {
  number: 3,
  name: 'pause',
  law: 'what a paused worker writes late changes nothing',
  counted: 'pauses',
  full: { jobs: 20_000, count: 500, minutesMax: 45 },
  reduced: { jobs: 200, count: 5, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'pause', fleet }, async (world) => {
      await pauseWhileTheyWork(world, context)
      await untilDrained(world.database, context)
      const faults = uncleanEnds(await world.fleet.stop())
      return conclude(world, {
        faults,
        counts: ({ evidence }) => ({
          pauses: context.size.count,
          'taken over': evidence.recovered,
          'late ends': evidence.lateEnds,
          'done again': evidence.repeated,
          'late writes refused': world.fleet.incidents('refused'),
        }),
        // A process that continues may notice in time that its lease has expired, and abort its handlers before they write.
        voidBecause: ({ evidence }) =>
          tooFewReason({
            'attempts taken over': { count: evidence.recovered, min: context.size.count },
            'handlers that ended too late': {
              count: world.fleet.incidents('refused') + evidence.lateEnds,
              min: context.size.count / 4,
            },
            // With few pauses, all of them may be noticed in time.
            'late writes refused': {
              count: world.fleet.incidents('refused'),
              min: Math.floor(context.size.count / 20),
            },
          }),
      })
    }),
}

async function pauseWhileTheyWork(world: World, context: ScenarioContext): Promise<void> {
  const { size, random, progress, signal } = context
  const client = createClient(world.database.queue, world.history)
  const { feed } = createLoad(client, { ...load, jobs: size.jobs, random: random.fork('jobs') })
  const paused = new Set<WorkerProcess>()
  let begun = 0
  const lane = async (draw: Random): Promise<void> => {
    while (begun < size.count) {
      signal.throwIfAborted()
      begun += 1
      await feedAndPause(world, { feed, share: begun / size.count, paused, draw })
      progress(`${begun} of ${size.count} pauses`)
    }
  }
  await world.fleet.start(lanes + 1)
  await Promise.all(Array.from({ length: lanes }, (_, index) => lane(random.fork(`lane ${index}`))))
}

interface Pause extends Load {
  readonly share: number
  /** The processes that any lane pauses now. */
  readonly paused: Set<WorkerProcess>
  readonly draw: Random
}

async function feedAndPause(world: World, { feed, share, paused, draw }: Pause): Promise<void> {
  await feed(share)
  const victim = await busyMember(world, draw, paused)
  paused.add(victim)
  await wait(draw.between(0, 100))
  const note = (act: string): void => world.history.write({ type: 'nemesis', act, target: victim.idPrefix })
  note('SIGSTOP')
  victim.signal('SIGSTOP')
  await eventually(() => isLost(world, victim), lostWithin)
  await wait(draw.between(0, 300))
  note('SIGCONT')
  victim.signal('SIGCONT')
  paused.delete(victim)
}

/** Whether each registration of this process is marked as lost. */
async function isLost({ database }: World, { idPrefix }: WorkerProcess): Promise<boolean> {
  const { rows } = await database.pool.query(
    `SELECT FROM queue.workers WHERE id LIKE $1 AND state = 'active'`,
    [`${idPrefix}-%`],
  )
  return rows.length === 0
}
