import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { median } from '../median.ts'
import type { Measurement } from '../throughput/measurement.ts'
import { checkpoint, type Costs, costNames, resetCounts, provideCounters } from './costs.ts'
import { estimateRatio, type RatioEstimate } from './estimate-ratio.ts'
import { measureSide, prepareSide, type Side, type SideResult } from './side.ts'

/** The build that is evaluated, and the one that it is compared with. */
export const roles = ['workTree', 'commit'] as const
export type Role = (typeof roles)[number]

export interface CompareOptions {
  readonly serverUrl: string
  readonly sides: Readonly<Record<Role, Side>>
  readonly measurements: readonly Measurement[]
  /** The number of jobs of each measurement. */
  readonly counts: Readonly<Record<Measurement, number>>
  readonly pairs: number
  readonly onStep: (step: string) => void
  readonly signal?: AbortSignal
}

/** One figure of both sides. */
export interface Compared {
  /** The medians of the pairs. */
  readonly workTree: number
  readonly commit: number
  /**
   * Of a cost or memory, that of the work tree divided by that of the commit. Of a speed, how many times as fast the work tree
   * is: for a latency, the inverse ratio of the times. Null if a side did not count it in some pair.
   */
  readonly ratio: RatioEstimate | null
}

export interface Comparison {
  /** The costs of a job. */
  readonly costsPerJob: Readonly<Record<keyof Costs, Compared>>
  /** The largest resident memory of the measured process, in bytes. */
  readonly peakRssBytes: Compared
  /** By figure: `perSecond`, `p50Ms`, `p99Ms`. */
  readonly speed: Readonly<Record<string, Compared>>
}

export type Comparisons = Readonly<Partial<Record<Measurement, Comparison>>>

type Pair = Readonly<Record<Role, SideResult>>

/**
 * Measures both sides in pairs. The two sides of a pair run right after each other, each in its own process and database, so
 * that other load on the machine affects both equally. The side that runs first alternates.
 */
export async function runCompare(options: CompareOptions): Promise<Comparisons> {
  await provideCounters(options.serverUrl)
  const databases = {
    workTree: databasesOf(options, 'workTree'),
    commit: databasesOf(options, 'commit'),
  }
  const pairs = new Map<Measurement, Pair[]>(options.measurements.map((measurement) => [measurement, []]))
  try {
    for (let pair = 1; pair <= options.pairs; pair += 1) {
      for (const [measurement, measured] of pairs) {
        options.onStep(`pair ${pair} of ${options.pairs}: ${measurement}`)
        measured.push(await measurePair(options, { databases, measurement, pair }))
      }
    }
  } finally {
    for (const role of roles) await databases[role].dropAll()
  }
  return Object.fromEntries(
    [...pairs].map(([measurement, measured]) => [
      measurement,
      compare(measured, options.counts[measurement]),
    ]),
  )
}

function databasesOf({ serverUrl, sides, signal }: CompareOptions, role: Role): TestDatabases {
  return createTestDatabases({
    serverUrl,
    templateKey: `compare ${sides[role].adapter} ${process.pid}`,
    prepareTemplate: (url) => prepareSide(sides[role], url, signal),
  })
}

interface PairSetup {
  readonly databases: Readonly<Record<Role, TestDatabases>>
  readonly measurement: Measurement
  readonly pair: number
}

async function measurePair(options: CompareOptions, setup: PairSetup): Promise<Pair> {
  const results: Partial<Record<Role, SideResult>> = {}
  for (const role of setup.pair % 2 === 1 ? roles : roles.toReversed()) {
    results[role] = await measureRole(options, setup, role)
  }
  return results as Pair
}

async function measureRole(
  { serverUrl, sides, counts, signal }: CompareOptions,
  { databases, measurement }: PairSetup,
  role: Role,
): Promise<SideResult> {
  signal?.throwIfAborted()
  const database = await databases[role].create()
  await checkpoint(serverUrl)
  const result = await measureSide(
    sides[role],
    { measurement, url: database.url, count: counts[measurement], countersUrl: serverUrl },
    signal,
  )
  await resetCounts(serverUrl, database.name)
  await database.drop()
  return result
}

/** Evaluates the pairs of one measurement. */
export function compare(pairs: readonly Pair[], jobs: number): Comparison {
  const costs = costNames.map((name) => [name, compared(pairs, (result) => result.costs[name] / jobs)])
  const figures = Object.keys(pairs[0]?.workTree.figures ?? {})
  return {
    costsPerJob: Object.fromEntries(costs) as Comparison['costsPerJob'],
    peakRssBytes: compared(pairs, ({ peakRssBytes }) => peakRssBytes),
    speed: Object.fromEntries(figures.map((figure) => [figure, speedOf(pairs, figure)])),
  }
}

function speedOf(pairs: readonly Pair[], figure: string): Compared {
  const values = compared(pairs, ({ figures }) => figures[figure] ?? Number.NaN)
  return figure === 'perSecond' ? values : { ...values, ratio: inverse(values.ratio) }
}

function inverse(estimate: RatioEstimate | null): RatioEstimate | null {
  if (estimate === null) return null
  const invert = (value: number | null): number | null => (value === null ? null : 1 / value)
  return { ratio: 1 / estimate.ratio, lower: invert(estimate.upper), upper: invert(estimate.lower) }
}

function compared(pairs: readonly Pair[], valueOf: (result: SideResult) => number): Compared {
  const values = pairs.map(({ workTree, commit }) => ({
    workTree: valueOf(workTree),
    commit: valueOf(commit),
  }))
  const isCounted = values.every(({ workTree, commit }) => workTree > 0 && commit > 0)
  return {
    workTree: median(values.map(({ workTree }) => workTree)),
    commit: median(values.map(({ commit }) => commit)),
    ratio: isCounted ? estimateRatio(values.map(({ workTree, commit }) => workTree / commit)) : null,
  }
}
