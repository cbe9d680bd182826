import { setTimeout as wait } from 'node:timers/promises'
import type { JobOptions, LimitRule } from '@queue/core'
import { checkLimits, type Pause, type WatchedLimit } from '../checker/check-limits.ts'
import { busyMember } from '../fleet/busy-members.ts'
import { type Plan, chaosJob } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import { type ChaosJob, type Client, createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processesMax = 8
const jobsPerProcess = 200
/** High enough that the processes of a full run have more slots than the largest limit allows. */
const concurrency = 130
const mix: readonly Plan[] = [
  'succeed',
  'succeed',
  'succeed',
  'fail_once',
  'snooze_once',
  'transact',
  'linger',
]
const batchMax = 200
const msMax = 12
const maxAttempts = 25
const pauseMs = { min: 50, max: 250 } as const

/** The limits, and the share of the jobs under each. The last two are paused at random. */
const lines = [
  {
    rules: [{ scope: 'key', name: 'one', maxRunning: 1 }],
    share: 0.1,
    options: [{ key: 'one' }],
  },
  {
    rules: [{ scope: 'key', name: 'thousand', maxRunning: 1_000 }],
    share: 0.5,
    options: [{ key: 'thousand' }],
  },
  {
    rules: [{ scope: 'key', name: 'ten', maxRunning: 10 }],
    share: 0.2,
    options: [{ key: 'ten' }],
  },
  {
    rules: [
      { scope: 'kind', name: chaosJob.kind, maxRunning: 6 },
      { scope: 'queue', maxRunning: 7 },
      { scope: 'each_key', maxRunning: 3 },
    ],
    share: 0.2,
    options: [{ queue: 'narrow' }, { queue: 'narrow', key: 'a' }, { queue: 'narrow', key: 'b' }],
  },
] as const satisfies readonly Line[]

interface Line {
  /** The first rule is the one that is paused. */
  readonly rules: readonly Omit<LimitRule, 'queue'>[]
  readonly share: number
  readonly options: readonly JobOptions[]
}

/** The limits to check in the audit. */
const watchedLimits: readonly WatchedLimit[] = [
  {
    name: 'key one',
    isOnlyLimit: true,
    max: 1,
    matches: ({ queue, key }) => queue === 'default' && key === 'one',
  },
  {
    name: 'key ten',
    isOnlyLimit: true,
    max: 10,
    matches: ({ queue, key }) => queue === 'default' && key === 'ten',
  },
  {
    name: 'key thousand',
    isOnlyLimit: true,
    max: 1_000,
    matches: ({ queue, key }) => queue === 'default' && key === 'thousand',
  },
  { name: 'kind', isOnlyLimit: false, max: 6, matches: ({ queue }) => queue === 'narrow' },
  {
    name: 'each key, a',
    isOnlyLimit: false,
    max: 3,
    matches: ({ queue, key }) => queue === 'narrow' && key === 'a',
  },
  {
    name: 'each key, b',
    isOnlyLimit: false,
    max: 3,
    matches: ({ queue, key }) => queue === 'narrow' && key === 'b',
  },
]

/** The lines that are paused, and the limit in which each pause shows. */
const pausable = [
  { line: lines[2], shownBy: 'key ten' },
  { line: lines[3], shownBy: 'kind' },
] as const

/**
 * Worker processes are killed at random while they claim jobs under limits of a key, of each key, of a kind and of a queue, and
 * while a key and a kind are paused and resumed.
 */
export const limits: Scenario = {
  number: 31,
  name: 'limits',
  law: 'no limit is exceeded, no pause is passed by, and nothing is stranded behind either, whatever is killed',
  counted: 'kills',
  full: { jobs: 100_000, count: 300, minutesMax: 45 },
  reduced: { jobs: 600, count: 4, minutesMax: 10 },
  run: (context) =>
    withWorld(
      context,
      { name: 'limits', fleet: { concurrency, queues: ['default', 'narrow'] } },
      async (world) => {
        const delay = watchMachineDelay()
        for (const line of lines) for (const rule of line.rules) await set(world, line, rule)
        const pauses = await killWhileTheyWork(world, context)
        await untilDrained(world.database, context)
        const allowanceMs = delay.allowanceMs()
        delay.stop()
        const unclean = uncleanEnds(await world.fleet.stop())
        const checked = await checkLimits(world.database, { watched: watchedLimits, pauses, allowanceMs })
        return conclude(world, {
          faults: [...unclean, ...checked.faults],
          counts: ({ evidence }) => ({
            kills: context.size.count,
            recovered: evidence.recovered,
            pauses: pauses.length,
            ...checked.maxRunning,
            ...checked.waits,
          }),
          voidBecause: ({ evidence }) =>
            tooFewReason({
              'attempts recovered': { count: evidence.recovered, min: context.size.count },
              'pauses while jobs waited': { count: pauses.length, min: context.size.count / 2 },
              'running at a time under a limit of 10': {
                count: checked.maxRunning['most of key ten'] ?? 0,
                min: 10,
              },
              'running at a time under a limit of 6': {
                count: checked.maxRunning['most of kind'] ?? 0,
                min: 6,
              },
            }),
        })
      },
    ),
}

/** Sets a rule in the queue of the line's jobs. */
async function set(
  { database }: World,
  { options }: Pick<Line, 'options'>,
  rule: Omit<LimitRule, 'queue'>,
): Promise<void> {
  await database.queue.limits.set({ queue: options[0]?.queue ?? 'default', ...rule })
}

async function killWhileTheyWork(world: World, context: ScenarioContext): Promise<Pause[]> {
  const { size, random, progress, signal } = context
  const client = createClient(world.database.queue, world.history)
  const feeds = lines.map((line) => createFeed(client, { line, jobs: size.jobs, random }))
  const victims = random.fork('victims')
  const draws = random.fork('pauses')
  const pauses: Pause[] = []
  await world.fleet.start(Math.min(processesMax, Math.ceil(size.jobs / jobsPerProcess)))
  for (let kills = 1; kills <= size.count; kills += 1) {
    signal.throwIfAborted()
    for (const feed of feeds) await feed(kills / size.count)
    const target = pausable[kills % pausable.length] ?? pausable[0]
    const [pause] = await Promise.all([pauseOne(world, target, draws), killOne(world, victims)])
    pauses.push(pause)
    progress(`${kills} of ${size.count} kills`)
  }
  return pauses
}

interface FeedOptions {
  readonly line: Line
  readonly jobs: number
  readonly random: Random
}

/** Creates a function that enqueues jobs of a line until this share of them, from 0 to 1, has been enqueued. */
function createFeed(client: Client, { line, jobs, random }: FeedOptions): (share: number) => Promise<void> {
  const name = JSON.stringify(line.options[0])
  const draws = random.fork(name)
  let fed = 0
  const next = (): ChaosJob => ({
    plan: draws.pick(mix),
    key: `${name} ${(fed += 1)}`,
    ms: draws.between(0, msMax),
    options: { ...draws.pick<JobOptions>(line.options), maxAttempts },
  })
  return async (share) => {
    const upTo = Math.ceil(share * line.share * jobs)
    while (fed < upTo) await client.enqueue(Array.from({ length: Math.min(batchMax, upTo - fed) }, next))
  }
}

async function pauseOne(
  world: World,
  { line, shownBy }: (typeof pausable)[number],
  draws: Random,
): Promise<Pause> {
  const [rule] = line.rules
  await wait(draws.between(0, 50))
  const { nowMs: pausedMs } = await readAudit(world)
  await set(world, line, { ...rule, paused: true })
  const { seq: afterSeq } = await readAudit(world)
  await wait(draws.between(pauseMs.min, pauseMs.max))
  const { seq: beforeSeq } = await readAudit(world)
  await set(world, line, rule)
  const { nowMs: resumedMs } = await readAudit(world)
  return { limitName: shownBy, afterSeq, beforeSeq, pausedMs, resumedMs }
}

/** The last committed entry of the audit, and the database's clock. */
async function readAudit({ database }: World): Promise<{ readonly seq: number; readonly nowMs: number }> {
  const { rows } = await database.pool.query<{ seq: number; nowMs: number }>(
    `SELECT coalesce(max(seq), 0)::int AS seq, extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"
       FROM chaos.audit`,
  )
  return rows[0] ?? { seq: 0, nowMs: 0 }
}

/** Kills a process that has claimed jobs, and starts another one before the next kill, so that there are always workers. */
async function killOne(world: World, random: Random): Promise<void> {
  const victim = await busyMember(world, random)
  await wait(random.between(0, 20))
  world.history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
  victim.signal('SIGKILL')
  await victim.ended
  await world.fleet.add().started
}
