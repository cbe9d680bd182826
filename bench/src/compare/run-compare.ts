import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { median } from '../median.ts'
import type { Measurement, MeasurementResult } from '../throughput/measurement.ts'
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

/** One figure of both sides, and how many times as fast the work tree is (for a latency, the inverse ratio of the times). */
export interface Speed extends RatioEstimate {
  /** The medians of the pairs. */
  readonly workTree: number
  readonly commit: number
}

export interface Comparison {
  /** By figure: `perSecond`, `p50Ms`, `p99Ms`. */
  readonly speed: Readonly<Record<string, Speed>>
  /** The costs per job: medians of the pairs. */
  readonly costsPerJob: Readonly<Record<Role, Costs>>
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
  const figures = Object.keys(pairs[0]?.workTree.figures ?? {})
  return {
    speed: Object.fromEntries(figures.map((figure) => [figure, speedOf(pairs, figure)])),
    costsPerJob: { workTree: costsOf(pairs, 'workTree', jobs), commit: costsOf(pairs, 'commit', jobs) },
  }
}

function speedOf(pairs: readonly Pair[], figure: string): Speed {
  const valueOf = (figures: MeasurementResult): number => figures[figure] ?? Number.NaN
  const values = pairs.map(({ workTree, commit }) => ({
    workTree: valueOf(workTree.figures),
    commit: valueOf(commit.figures),
  }))
  const isRate = figure === 'perSecond'
  return {
    workTree: median(values.map(({ workTree }) => workTree)),
    commit: median(values.map(({ commit }) => commit)),
    ...estimateRatio(values.map(({ workTree, commit }) => (isRate ? workTree / commit : commit / workTree))),
  }
}

function costsOf(pairs: readonly Pair[], role: Role, jobs: number): Costs {
  const perJob = costNames.map((name) => [name, median(pairs.map((pair) => pair[role].costs[name])) / jobs])
  return Object.fromEntries(perJob) as Record<keyof Costs, number>
}
