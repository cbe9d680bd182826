import { setTimeout as wait } from 'node:timers/promises'
import type { JobOptions, LimitRule } from '@queue/core'
import { checkLimits, type Watched } from '../checker/check-limits.ts'
import { busyMember } from '../fleet/busy-members.ts'
import { type Plan, chaosJob } from '../fleet/chaos-job.ts'
import type { Random } from '../nemesis/random.ts'
import { type ChaosJob, type Client, createClient } from '../run/client.ts'
import { conclude, tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { watchMachineDelay } from '../run/machine-delay.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processesMax = 8
const jobsPerProcess = 200
/** So that the processes of a full run have slots for more than the widest limit. */
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

/** What is limited, and the share of the jobs that it gets. A pause of the last two comes at random. */
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
  /** The first of them is the one that is paused. */
  readonly rules: readonly Omit<LimitRule, 'queue'>[]
  readonly share: number
  readonly options: readonly JobOptions[]
}

/** The limits whose counts the audit shows, and what they are about. */
const watched: readonly Watched[] = [
  { name: 'key one', isAlone: true, max: 1, is: ({ queue, key }) => queue === 'default' && key === 'one' },
  { name: 'key ten', isAlone: true, max: 10, is: ({ queue, key }) => queue === 'default' && key === 'ten' },
  {
    name: 'key thousand',
    isAlone: true,
    max: 1_000,
    is: ({ queue, key }) => queue === 'default' && key === 'thousand',
  },
  { name: 'kind', isAlone: false, max: 6, is: ({ queue }) => queue === 'narrow' },
  { name: 'each key, a', isAlone: false, max: 3, is: ({ queue, key }) => queue === 'narrow' && key === 'a' },
  { name: 'each key, b', isAlone: false, max: 3, is: ({ queue, key }) => queue === 'narrow' && key === 'b' },
]

/** Which of `watched` each line that is paused shows its pause in. */
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
        await drained(world.database, context)
        const allowanceMs = delay.allowanceMs()
        delay.stop()
        const unclean = uncleanEnds(await world.fleet.stop())
        const checked = await checkLimits(world.database, { watched, pauses, allowanceMs })
        return conclude(world, {
          faults: [...unclean, ...checked.faults],
          counts: ({ signs }) => ({
            kills: context.size.count,
            recovered: signs.recovered,
            pauses: pauses.length,
            ...checked.most,
            ...checked.waits,
          }),
          voidBecause: ({ signs }) =>
            tooSeldom({
              'attempts recovered': { seen: signs.recovered, min: context.size.count },
              'pauses while jobs waited': { seen: pauses.length, min: context.size.count / 2 },
              'running at a time under a limit of 10': {
                seen: checked.most['most of key ten'] ?? 0,
                min: 10,
              },
              'running at a time under a limit of 6': { seen: checked.most['most of kind'] ?? 0, min: 6 },
            }),
        })
      },
    ),
}

/** Sets a rule of a line, whose jobs name its queue. */
async function set(
  { database }: World,
  { options }: Pick<Line, 'options'>,
  rule: Omit<LimitRule, 'queue'>,
): Promise<void> {
  await database.queue.limits.set({ queue: options[0]?.queue ?? 'default', ...rule })
}

/** A pause: the last entry of the audit once it had answered, and before it was lifted. */
export interface Pause {
  readonly of: string
  readonly afterSeq: number
  readonly beforeSeq: number
  /** From before it was asked for until after it was lifted, on the database's clock in milliseconds since 1970. */
  readonly pausedMs: number
  readonly resumedMs: number
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
    const one = pausable[kills % pausable.length] ?? pausable[0]
    const [pause] = await Promise.all([pauseOne(world, one, draws), killOne(world, victims)])
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

/** Enqueues as many jobs of a line as it takes to have had this share of them, from 0 to 1. */
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
  return { of: shownBy, afterSeq, beforeSeq, pausedMs, resumedMs }
}

/** The last entry of the audit that is committed, and the database's clock. */
async function readAudit({ database }: World): Promise<{ readonly seq: number; readonly nowMs: number }> {
  const { rows } = await database.pool.query<{ seq: number; nowMs: number }>(
    `SELECT coalesce(max(seq), 0)::int AS seq, extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"
       FROM chaos.audit`,
  )
  return rows[0] ?? { seq: 0, nowMs: 0 }
}

/** Kills a process that has claimed jobs. Another one works in its place before the next is killed: none is stranded for want of workers. */
async function killOne(world: World, random: Random): Promise<void> {
  const victim = await busyMember(world, random)
  await wait(random.between(0, 20))
  world.history.write({ type: 'nemesis', act: 'SIGKILL', target: victim.idPrefix })
  victim.signal('SIGKILL')
  await victim.ended
  await world.fleet.add().started
}
