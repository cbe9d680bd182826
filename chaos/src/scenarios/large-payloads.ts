import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseProxy, startDatabaseProxy } from '@queue/dev-postgres'
import { createClient, type ChaosJob } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const paddingBytes = 996 * 1_024
/** Small jobs first make the worker prefetch many jobs, before it knows that large ones follow. */
const smallJobs = 300
/** The number of jobs that a worker with four slots prefetches by default if jobs are very fast. */
const aheadMax = 400
const batch = 40
/** The minimum pace of a worker with prefetch relative to one without: for the median of several runs, and for a single run. */
const paceMin = { median: 0.9, single: 0.25 }
const pairsForMedian = 3
/** The maximum memory of a worker with prefetch relative to one without. */
const memoryMax = 1.6
const slots = 4
const sampleMs = 20
/** The share of all large payloads that may wait in a worker's memory for their jobs to begin. */
const readAheadMax = 0.5

/**
 * Many small jobs, followed by some with the largest payloads. A worker with prefetch runs them as fast as one without, in
 * about the same memory, reads few payloads before their jobs begin, and none of its claims times out.
 */
export const largePayloads: Scenario = {
  number: 24,
  name: 'large-payloads',
  law: 'of large payloads a worker that fetches ahead does no less than with prefetch: 0, in about the same memory',
  counted: 'pairs of runs',
  full: { jobs: 870, count: 5, minutesMax: 30 },
  reduced: { jobs: 80, count: 1, minutesMax: 10 },
  run: async (context) => {
    const pairs: Pair[] = []
    for (let pair = 0; pair < context.size.count; pair += 1) {
      const first = await measure(context, { pair, prefetch: pair % 2 === 0 ? aheadMax : 0 })
      if (first.result.outcome !== 'held') return first.result
      const second = await measure(context, { pair, prefetch: pair % 2 === 0 ? 0 : aheadMax })
      if (second.result.outcome !== 'held') return second.result
      const [ahead, withoutPrefetch] = pair % 2 === 0 ? [first, second] : [second, first]
      pairs.push({
        pace: ahead.perSecond / withoutPrefetch.perSecond,
        memory: ahead.peakBytes / withoutPrefetch.peakBytes,
        ahead,
        withoutPrefetch,
      })
      context.progress(`${pair + 1} of ${context.size.count} pairs`)
    }
    return resultOf({ faults: faultsOf(pairs), counts: countsOf(pairs) })
  },
}

interface Measurement {
  readonly result: RunResult
  /** Large jobs per second. */
  readonly perSecond: number
  /** The peak memory of the worker's process; NaN if the system does not report it. */
  readonly peakBytes: number
  /** The most bytes that the worker had received beyond the payloads of the claims that had begun or been returned. */
  readonly aheadBytes: number
}

interface Pair {
  readonly pace: number
  readonly memory: number
  readonly ahead: Measurement
  readonly withoutPrefetch: Measurement
}

function faultsOf(pairs: readonly Pair[]): string[] {
  const pace = median(pairs.map((runs) => runs.pace))
  const memory = median(pairs.map((runs) => runs.memory))
  const minPace = pairs.length >= pairsForMedian ? paceMin.median : paceMin.single
  return [
    ...(pace < minPace ? [`a worker with prefetch had ${percent(pace)} of the pace of one without`] : []),
    ...(memory > memoryMax
      ? [`a worker with prefetch used ${percent(memory)} of the memory of one without`]
      : []),
  ]
}

function countsOf(pairs: readonly Pair[]): Record<string, number> {
  const medianOf = (read: (pair: Pair) => number): number => Math.round(median(pairs.map(read)))
  return {
    'large jobs a second, ahead': medianOf(({ ahead }) => ahead.perSecond),
    'large jobs a second, prefetch 0': medianOf(({ withoutPrefetch }) => withoutPrefetch.perSecond),
    'pace in %': medianOf(({ pace }) => 100 * pace),
    'peak in MB, ahead': medianOf(({ ahead }) => ahead.peakBytes / 1e6),
    'peak in MB, prefetch 0': medianOf(({ withoutPrefetch }) => withoutPrefetch.peakBytes / 1e6),
    'MB read before their jobs': medianOf(({ ahead }) => ahead.aheadBytes / 1e6),
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6)
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

async function measure(context: ScenarioContext, { pair, prefetch }: Run): Promise<Measurement> {
  const name = `large-payloads-${pair}-${prefetch}`
  return withWorld(context, { name, fleet: { prefetch, concurrency: slots } }, async (world) => {
    await enqueue(
      world,
      Array.from({ length: smallJobs }, (_, n) => jobOf(`small ${n}`, '', 0)),
    )
    // PostgreSQL compresses the first to a ninetieth, and the second not at all.
    const padding = (): string =>
      pair % 2 === 0 ? 'x'.repeat(paddingBytes) : randomBytes(paddingBytes / 2).toString('hex')
    for (let from = 0; from < context.size.jobs; from += batch) {
      const count = Math.min(batch, context.size.jobs - from)
      await enqueue(
        world,
        Array.from({ length: count }, (_, n) => jobOf(`large ${from + n}`, padding(), 4)),
      )
    }
    const proxy = await startDatabaseProxy(world.database.url)
    const member = world.fleet.add({ databaseUrl: proxy.url })
    await member.started
    const aheadBytes = await peakAhead(world, proxy, untilDrained(world.database, context))
    const peakBytes = await peakOf(member.pid)
    const unclean = uncleanEnds(await world.fleet.stop())
    await proxy.close()
    const failed = world.fleet.incidents('claim failed')
    const result = await conclude(world, {
      faults: [
        ...unclean,
        ...(failed > 0 ? [`${name}: ${failed} claims went without an answer`] : []),
        ...(aheadBytes > readAheadMax * context.size.jobs * paddingBytes
          ? [`${name}: ${megabytes(aheadBytes)} MB were read for jobs that had not begun`]
          : []),
      ],
      counts: () => ({}),
      voidBecause: ({ evidence }) =>
        tooFewReason({ 'handlers begun': { count: evidence.begun, min: context.size.jobs } }),
    })
    return { result, peakBytes, aheadBytes, perSecond: await paceOf(world) }
  })
}

/** The most bytes that came through the proxy beyond the payloads of the claims that had begun or been returned, until `drained`. */
async function peakAhead(world: World, proxy: DatabaseProxy, drained: Promise<unknown>): Promise<number> {
  let isDrained = false
  const end = drained.finally(() => (isDrained = true))
  let peak = 0
  while (!isDrained) {
    // Read before the count: a job that begins in between makes the difference smaller, and never larger.
    const received = proxy.bytesFromServer()
    peak = Math.max(peak, received - paddingBytes * (await largeClaimsOver(world)))
    await Promise.race([sleep(sampleMs), end])
  }
  await end
  return peak
}

/**
 * The claims of large jobs that no longer wait: begun, or returned. On a slow machine a job that has waited for too long is returned,
 * and its payload is read again after the next claim. Each claim raises the job's lease token by one.
 */
async function largeClaimsOver({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ claims: number }>(
    `SELECT coalesce(sum(j.lease_token), 0)::int - (count(*) FILTER (WHERE j.status = 'running' AND NOT EXISTS (
              SELECT FROM chaos.effects AS e WHERE e.job_id = j.id AND e.phase = 'begun')))::int AS claims
       FROM "${database.schema}".all_jobs AS j
      WHERE j.priority > 0`,
  )
  return rows[0]?.claims ?? 0
}

function jobOf(key: string, padding: string, priority: number): ChaosJob {
  return { key, plan: 'succeed', ms: 0, padding, options: { priority } }
}

async function enqueue({ database, history }: World, jobs: readonly ChaosJob[]): Promise<void> {
  const ids = await createClient(database.queue, history).enqueue(jobs)
  if (ids === undefined) throw new Error('large jobs could not be enqueued')
}

/** Large jobs per second, from the first start of one to the last. */
async function paceOf({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ pace: number }>(
    `SELECT (count(*) / extract(epoch FROM max(e.at) - min(e.at)))::float8 AS pace
       FROM chaos.effects AS e JOIN "${database.schema}".all_jobs AS j ON j.id = e.job_id
      WHERE e.phase = 'begun' AND j.priority > 0`,
  )
  return rows[0]?.pace ?? Number.NaN
}

/** The peak resident memory of a process in bytes, from /proc. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
}
