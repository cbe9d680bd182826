import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '@queue/testing'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { type ChaosJob, type Client, createClient } from '../run/client.ts'
import { drained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { busyMembers } from '../fleet/busy-members.ts'
import type { Random } from '../nemesis/random.ts'
import { type Row, type RowContext, type Verdict, verdictOf } from './row.ts'

const processes = 4
/** Crashes use up attempts, and a job that is unlucky this often would hide what the row looks for. */
const maxAttempts = 25
const enqueueBatch = 200
const cancelShare = 0.02
/** An idle fleet is killed from all the same: the verdict says whether enough of the kills met work. */
const busyWithin = { deadlineMs: 2_000, intervalMs: 5 }

/** Worker processes are killed at random while they work; what they leave behind is taken over, and ends once. */
export const kill: Row = {
  number: 2,
  name: 'kill',
  law: 'kill -9 loses nothing',
  counted: 'kills',
  full: { jobs: 200_000, count: 300, minutesMax: 45 },
  reduced: { jobs: 2_000, count: 10, minutesMax: 3 },
  run: (context) =>
    withWorld(context, { name: 'kill' }, async (world) => {
      const kills = await killWhileTheyWork(world, context)
      await drained(world.database, context)
      const badEnds = await world.fleet.stop()
      return judge(world, { kills, badEnds })
    }),
}

/** As many jobs as kills allow are enqueued before each kill, so that no kill meets an idle fleet. */
async function killWhileTheyWork(world: World, context: RowContext): Promise<number> {
  const { fleet, database, history } = world
  const { size, random, progress, signal } = context
  const client = createClient(database.queue, history)
  const jobs = plannedJobs(size.jobs, random.fork('jobs'))
  const victims = random.fork('victims')
  await fleet.start(processes)
  let enqueued = 0
  for (let kills = 0; kills < size.count; kills += 1) {
    signal.throwIfAborted()
    const upTo = Math.ceil(((kills + 1) * size.jobs) / size.count)
    await enqueueAll(client, jobs.slice(enqueued, upTo), random.fork(`cancels ${kills}`))
    enqueued = upTo
    await killOne(world, victims)
    progress(`${kills + 1} of ${size.count} kills, ${enqueued} of ${size.jobs} jobs enqueued`)
  }
  return size.count
}

function plannedJobs(count: number, random: Random): ChaosJob[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `k${index}`,
    plan: random.pick([
      'succeed',
      'succeed',
      'succeed',
      'linger',
      'fail_once',
      'snooze_once',
      'transact',
      'fail_always',
    ]),
    ms: random.between(0, 12),
    maxAttempts,
  }))
}

/** `fail_always` needs few attempts to come to its end. */
function withEnd(job: ChaosJob): ChaosJob {
  return job.plan === 'fail_always' ? { ...job, maxAttempts: 2 } : job
}

async function enqueueAll(client: Client, jobs: readonly ChaosJob[], random: Random): Promise<void> {
  for (let start = 0; start < jobs.length; start += enqueueBatch) {
    const batch = jobs.slice(start, start + enqueueBatch)
    const ids = await client.enqueue(batch.map(withEnd))
    for (const [index, id] of (ids ?? []).entries()) {
      const key = batch[index]?.key
      if (key !== undefined && random.chance(cancelShare)) await client.cancel({ key, id })
    }
  }
}

/** Kills a process that has claimed jobs, at some moment of its work, and starts another one in its place. */
async function killOne({ fleet, database, history }: World, random: Random): Promise<void> {
  const busy = await eventually(() => busyMembers(fleet, database), busyWithin).catch(() => fleet.members)
  const victim = random.pick(busy)
  await wait(random.between(0, 20))
  history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
  victim.signal('SIGKILL')
  await victim.ended
  fleet.add()
}

async function judge(
  world: World,
  { kills, badEnds }: { readonly kills: number; readonly badEnds: readonly string[] },
): Promise<Verdict> {
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  const { signs } = checked
  return verdictOf({
    counts: {
      jobs: checked.jobs,
      kills,
      recovered: signs.recovered,
      'run again after their end': signs.repeated,
      'late ends': signs.ghosts,
      'late writes refused': world.fleet.refused,
    },
    faults: [...describeFaults(checked), ...badEnds.map((end) => `a worker did not stop cleanly: ${end}`)],
    voidBecause:
      signs.recovered < kills / 4
        ? `only ${signs.recovered} attempts were recovered after ${kills} kills`
        : undefined,
  })
}
