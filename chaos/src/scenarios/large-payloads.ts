import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createClient, type ChaosJob } from '../run/client.ts'
import { conclude, tooSeldom, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const paddingBytes = 996 * 1_024
/** They make a claim ahead ask for many, before anybody knows that large ones follow. */
const smallJobs = 300
/** As many as a worker with four slots fetches ahead by itself of the quickest jobs. */
const aheadMax = 400
const batch = 40
/** The least that a worker which may fetch ahead does in a second, of what one does that may not: of many runs, and of one. */
const paceMin = { median: 0.9, single: 0.25 }
const pairsForMedian = 3
/** The most memory that it takes, of what the other one does. */
const memoryMax = 1.6

/**
 * Many small jobs, and behind them some with the largest payloads: a worker that may fetch ahead works these off as fast as
 * one that may not, in about the same memory, and none of its claims goes without an answer.
 */
export const largePayloads: Scenario = {
  number: 24,
  name: 'large-payloads',
  law: 'of large payloads a worker that fetches ahead does no less than with prefetch: 0, in about the same memory',
  counted: 'pairs of runs',
  full: { jobs: 870, count: 5, minutesMax: 30 },
  reduced: { jobs: 130, count: 1, minutesMax: 10 },
  run: async (context) => {
    const pairs: Pair[] = []
    for (let pair = 0; pair < context.size.count; pair += 1) {
      const first = await measure(context, { pair, prefetch: pair % 2 === 0 ? aheadMax : 0 })
      if (first.verdict.outcome !== 'held') return first.verdict
      const second = await measure(context, { pair, prefetch: pair % 2 === 0 ? 0 : aheadMax })
      if (second.verdict.outcome !== 'held') return second.verdict
      const [ahead, plain] = pair % 2 === 0 ? [first, second] : [second, first]
      pairs.push({
        pace: ahead.perSecond / plain.perSecond,
        memory: ahead.peakBytes / plain.peakBytes,
        ahead,
        plain,
      })
      context.progress(`${pair + 1} of ${context.size.count} pairs`)
    }
    return verdictOf({ faults: faultsOf(pairs), counts: countsOf(pairs) })
  },
}

interface Measured {
  readonly verdict: Verdict
  /** Large jobs. */
  readonly perSecond: number
  /** The most memory that the worker's process had; NaN where the system does not tell. */
  readonly peakBytes: number
}

interface Pair {
  readonly pace: number
  readonly memory: number
  readonly ahead: Measured
  readonly plain: Measured
}

function faultsOf(pairs: readonly Pair[]): string[] {
  const pace = median(pairs.map((one) => one.pace))
  const memory = median(pairs.map((one) => one.memory))
  const least = pairs.length >= pairsForMedian ? paceMin.median : paceMin.single
  return [
    ...(pace < least
      ? [`a worker that fetched ahead did ${percent(pace)} of what one did that did not`]
      : []),
    ...(memory > memoryMax
      ? [`a worker that fetched ahead took ${percent(memory)} of the other's memory`]
      : []),
  ]
}

function countsOf(pairs: readonly Pair[]): Record<string, number> {
  const of = (read: (pair: Pair) => number): number => Math.round(median(pairs.map(read)))
  return {
    'large jobs a second, ahead': of(({ ahead }) => ahead.perSecond),
    'large jobs a second, prefetch 0': of(({ plain }) => plain.perSecond),
    'pace in %': of(({ pace }) => 100 * pace),
    'peak in MB, ahead': of(({ ahead }) => ahead.peakBytes / 1e6),
    'peak in MB, prefetch 0': of(({ plain }) => plain.peakBytes / 1e6),
  }
}

function percent(ratio: number): string {
  return `${Math.round(100 * ratio)} %`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

interface Run {
  readonly pair: number
  readonly prefetch: typeof aheadMax | 0
}

async function measure(context: ScenarioContext, { pair, prefetch }: Run): Promise<Measured> {
  const name = `large-payloads-${pair}-${prefetch}`
  return withWorld(context, { name, fleet: { prefetch, concurrency: 4 } }, async (world) => {
    await enqueue(
      world,
      Array.from({ length: smallJobs }, (_, n) => jobOf(`small ${n}`, '', 0)),
    )
    // PostgreSQL can make a ninetieth of the one, and nothing of the other.
    const padding = (): string =>
      pair % 2 === 0 ? 'x'.repeat(paddingBytes) : randomBytes(paddingBytes / 2).toString('hex')
    for (let from = 0; from < context.size.jobs; from += batch) {
      const count = Math.min(batch, context.size.jobs - from)
      await enqueue(
        world,
        Array.from({ length: count }, (_, n) => jobOf(`large ${from + n}`, padding(), 4)),
      )
    }
    const member = world.fleet.add()
    await member.started
    await drained(world.database, context)
    const peakBytes = await peakOf(member.pid)
    const unclean = uncleanEnds(await world.fleet.stop())
    const failed = world.fleet.mishaps('claim failed')
    const verdict = await conclude(world, {
      faults: [...unclean, ...(failed > 0 ? [`${name}: ${failed} claims went without an answer`] : [])],
      counts: () => ({}),
      voidBecause: ({ signs }) =>
        tooSeldom({ 'handlers begun': { seen: signs.begun, min: context.size.jobs } }),
    })
    return { verdict, peakBytes, perSecond: await paceOf(world) }
  })
}

function jobOf(key: string, padding: string, priority: number): ChaosJob {
  return { key, plan: 'succeed', ms: 0, padding, options: { priority } }
}

async function enqueue({ database, history }: World, jobs: readonly ChaosJob[]): Promise<void> {
  const ids = await createClient(database.queue, history).enqueue(jobs)
  if (ids === undefined) throw new Error('large jobs could not be enqueued')
}

/** Large jobs in a second, from the first beginning of one to the last. */
async function paceOf({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ pace: number }>(
    `SELECT (count(*) / extract(epoch FROM max(e.at) - min(e.at)))::float8 AS pace
       FROM chaos.effects AS e JOIN "${database.schema}".jobs AS j ON j.id = e.job_id
      WHERE e.phase = 'begun' AND j.priority > 0`,
  )
  return rows[0]?.pace ?? Number.NaN
}

/** The peak of the resident memory of a process, where /proc tells it. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
}
