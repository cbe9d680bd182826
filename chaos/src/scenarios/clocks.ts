import { execFile } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { promisify } from 'node:util'
import { eventually } from '@queue/testing'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { createClient } from '../run/client.ts'
import { tooFewReason } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const shifts = ['+1h', '-1h', '+0']
const hourMs = 3_600_000
const jobsMaxDelayMs = 3_000
/** Longer than the lease, so that a worker that used its own clock would lose these jobs or keep them too long. */
const lingerMs = 3_000
const maxAttempts = 25

/**
 * Workers with clocks that are an hour fast, an hour slow and correct share a queue, and one of them is killed. No job starts
 * before its time, and none is taken from a live worker.
 */
export const clocks: Scenario = {
  number: 9,
  name: 'clocks',
  law: "workers' clocks do not matter: no early start, no theft",
  counted: 'kills',
  full: { jobs: 2_000, count: 10, minutesMax: 20 },
  reduced: { jobs: 60, count: 1, minutesMax: 10 },
  run: async (context) => {
    const library = await fakeTimeLibrary()
    if (library === undefined) {
      return {
        outcome: 'skipped',
        counts: {},
        reason: 'libfaketime is not installed (Debian package faketime)',
      }
    }
    return withWorld(context, { name: 'clocks' }, (world) => runWithClocks(world, context, library))
  },
}

async function fakeTimeLibrary(): Promise<string | undefined> {
  for await (const file of glob('/usr/lib/*/faketime/libfaketimeMT.so.1')) return file
  return undefined
}

/** Shifts the wall clock of a process, but not its monotonic clock. */
function clockOf(library: string, shift: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** The offset of the wall clock of a process, in milliseconds. */
async function measuredShiftMs(env: Record<string, string>): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'Date.now()'], { env })
  return Number(stdout) - Date.now()
}

async function runWithClocks(world: World, context: ScenarioContext, library: string): Promise<RunResult> {
  const clocksOf = shifts.map((shift) => clockOf(library, shift))
  const measured = await Promise.all(clocksOf.map(measuredShiftMs))
  const moved = measured.filter((ms) => Math.abs(Math.abs(ms) - hourMs) < 60_000).length
  for (const env of clocksOf) await world.fleet.add({ env }).started
  await enqueueAndKill(world, context, clocksOf)
  await untilDrained(world.database, context)
  const uncleanProcessEnds = await world.fleet.stop()
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  return resultOf({
    counts: {
      jobs: checked.jobs,
      'clocks moved': moved,
      kills: context.size.count,
      recovered: checked.evidence.recovered,
    },
    faults: [
      ...describeFaults(checked),
      ...uncleanProcessEnds.map((end) => `a worker did not stop cleanly: ${end}`),
    ],
    voidBecause: tooFewReason({
      'clocks moved': { count: moved, min: 2 },
      'attempts recovered': { count: checked.evidence.recovered, min: context.size.count },
    }),
  })
}

/** Enqueues jobs for now and for later, some longer than a lease, and kills workers of each clock in turn. */
async function enqueueAndKill(
  { fleet, database, history }: World,
  { size, random, signal, progress }: ScenarioContext,
  clocksOf: readonly Record<string, string>[],
): Promise<void> {
  const client = createClient(database.queue, history)
  const draws = random.fork('jobs')
  const each = Math.ceil(size.jobs / size.count)
  for (let kills = 0; kills < size.count; kills += 1) {
    signal.throwIfAborted()
    await client.enqueue(
      Array.from({ length: each }, (_, n) => ({
        key: `k${kills} ${n}`,
        plan: draws.pick(['succeed', 'succeed', 'succeed', 'transact', 'linger']),
        ms: draws.chance(0.05) ? lingerMs : draws.between(0, 50),
        options: { maxAttempts, delayMs: draws.chance(0.5) ? draws.between(1, jobsMaxDelayMs) : 0 },
      })),
    )
    const index = kills % clocksOf.length
    const victim = fleet.members[index]
    const busy = async (): Promise<boolean> => {
      const { rows } = await database.pool.query(
        `SELECT FROM "${database.schema}".all_jobs WHERE status = 'running' AND starts_with(locked_by, $1 || '-')`,
        [victim?.idPrefix],
      )
      return rows.length > 0
    }
    await eventually(busy, { intervalMs: 5 })
    history.write({ type: 'nemesis', act: 'SIGKILL', target: `${victim?.idPrefix}, clock ${shifts[index]}` })
    victim?.signal('SIGKILL')
    await victim?.ended
    await fleet.add({ env: clocksOf[index] ?? {} }).started
    progress(`${kills + 1} of ${size.count} kills`)
  }
}
