import { execFile } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { promisify } from 'node:util'
import { eventually } from '@queue/testing'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { createClient } from '../run/client.ts'
import { tooSeldom } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const shifts = ['+1h', '-1h', '+0']
const hourMs = 3_600_000
const jobsMaxDelayMs = 3_000
/** Longer than the lease, so that a worker whose clock counted would lose these, or keep them too long. */
const lingerMs = 3_000
const maxAttempts = 25

/**
 * Workers whose clocks are an hour fast, an hour slow and right share a queue, and one of them is killed. No job begins
 * before its time, and none is taken from a worker that lives.
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

/** Moves the wall clock of a process; intervals go on as ever. */
function clockOf(library: string, shift: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME: shift, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** By how much the wall clock of a process is off. */
async function measuredShiftMs(env: Record<string, string>): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'Date.now()'], { env })
  return Number(stdout) - Date.now()
}

async function runWithClocks(world: World, context: ScenarioContext, library: string): Promise<Verdict> {
  const clocksOf = shifts.map((shift) => clockOf(library, shift))
  const measured = await Promise.all(clocksOf.map(measuredShiftMs))
  const moved = measured.filter((ms) => Math.abs(Math.abs(ms) - hourMs) < 60_000).length
  for (const env of clocksOf) await world.fleet.add({ env }).started
  await enqueueAndKill(world, context, clocksOf)
  await drained(world.database, context)
  const badEnds = await world.fleet.stop()
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  return verdictOf({
    counts: {
      jobs: checked.jobs,
      'clocks moved': moved,
      kills: context.size.count,
      recovered: checked.signs.recovered,
    },
    faults: [...describeFaults(checked), ...badEnds.map((end) => `a worker did not stop cleanly: ${end}`)],
    voidBecause: tooSeldom({
      'clocks moved': { seen: moved, min: 2 },
      'attempts recovered': { seen: checked.signs.recovered, min: context.size.count },
    }),
  })
}

/** Jobs for now and for some seconds later, some of them longer than a lease; a worker of each clock is killed in turn. */
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
    const at = kills % clocksOf.length
    const victim = fleet.members[at]
    const busy = async (): Promise<boolean> => {
      const { rows } = await database.pool.query(
        `SELECT FROM "${database.schema}".jobs WHERE status = 'running' AND starts_with(locked_by, $1 || '-')`,
        [victim?.idPrefix],
      )
      return rows.length > 0
    }
    await eventually(busy, { intervalMs: 5 })
    history.write({ type: 'nemesis', act: 'SIGKILL', target: `${victim?.idPrefix}, clock ${shifts[at]}` })
    victim?.signal('SIGKILL')
    await victim?.ended
    await fleet.add({ env: clocksOf[at] ?? {} }).started
    progress(`${kills + 1} of ${size.count} kills`)
  }
}
