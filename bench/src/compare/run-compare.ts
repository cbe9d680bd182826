import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { median } from '../median.ts'
import type { Measurement } from '../throughput/measurement.ts'
import { checkpoint, type Costs, costNames, resetCounts, provideCounters } from './costs.ts'
import { estimateRatio, type RatioEstimate } from './estimate-ratio.ts'
import { measureSide, prepareSide, type Side, type SideResult } from './side.ts'

export interface CompareOptions {
  readonly serverUrl: string
  /** The build that is evaluated, … */
  readonly workTree: Side
  /** … and those with which it is compared. */
  readonly commits: readonly Side[]
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

interface Pair {
  readonly workTree: SideResult
  readonly commit: SideResult
}

/** One result of each side, the work tree's first. */
type Round = readonly SideResult[]

/**
 * Measures all sides in rounds. The sides of a round run right after each other, each in its own process and database, so
 * that other load on the machine affects all equally. Each round begins with another side. Resolves with the comparison with each
 * commit, in their order.
 */
export async function runCompare(options: CompareOptions): Promise<Comparisons[]> {
  await provideCounters(options.serverUrl)
  const sides = [options.workTree, ...options.commits].map((side) => prepared(side, options))
  const rounds = new Map<Measurement, Round[]>(options.measurements.map((measurement) => [measurement, []]))
  try {
    for (let round = 0; round < options.pairs; round += 1) {
      for (const [measurement, measured] of rounds) {
        options.onStep(`pair ${round + 1} of ${options.pairs}: ${measurement}`)
        measured.push(await measureRound(options, { sides, measurement, round }))
      }
    }
  } finally {
    for (const { databases } of sides) await databases.dropAll()
  }
  return options.commits.map((_commit, index) =>
    Object.fromEntries(
      [...rounds].map(([measurement, measured]) => [
        measurement,
        compare(pairsWith(measured, index + 1), options.counts[measurement]),
      ]),
    ),
  )
}

function pairsWith(rounds: readonly Round[], commit: number): Pair[] {
  return rounds.map((round) => ({ workTree: round[0] as SideResult, commit: round[commit] as SideResult }))
}

interface PreparedSide {
  readonly side: Side
  readonly databases: TestDatabases
}

function prepared(side: Side, { serverUrl, signal }: CompareOptions): PreparedSide {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `compare ${side.adapter} ${process.pid}`,
    prepareTemplate: (url) => prepareSide(side, url, signal),
  })
  return { side, databases }
}

interface RoundSetup {
  readonly sides: readonly PreparedSide[]
  readonly measurement: Measurement
  readonly round: number
}

async function measureRound(
  options: CompareOptions,
  { sides, measurement, round }: RoundSetup,
): Promise<Round> {
  const results: SideResult[] = []
  for (let turn = 0; turn < sides.length; turn += 1) {
    const index = (round + turn) % sides.length
    results[index] = await measurePrepared(options, sides[index] as PreparedSide, measurement)
  }
  return results
}

async function measurePrepared(
  { serverUrl, counts, signal }: CompareOptions,
  { side, databases }: PreparedSide,
  measurement: Measurement,
): Promise<SideResult> {
  signal?.throwIfAborted()
  const database = await databases.create()
  await checkpoint(serverUrl)
  const result = await measureSide(
    side,
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
