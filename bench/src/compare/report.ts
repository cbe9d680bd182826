import type { Measurement } from '../throughput/measurement.ts'
import { costNames } from './costs.ts'
import type { RatioEstimate } from './estimate-ratio.ts'
import type { Compared, Comparison, Comparisons } from './run-compare.ts'

/** The content of the printed report. */
export interface CompareReport {
  readonly machine: string
  /** The day of the run, ISO 8601. */
  readonly measuredOn: string
  readonly workTree: { readonly hash: string; readonly changed: boolean }
  readonly pairs: number
  /** The number of jobs of each measurement. */
  readonly counts: Readonly<Partial<Record<Measurement, number>>>
  readonly against: readonly CommitReport[]
}

/** The comparison with one commit. */
export interface CommitReport {
  readonly commit: { readonly hash: string; readonly subject: string }
  readonly comparisons: Comparisons
}

/** Renders the report as JSON, with significant digits only. */
export function renderReportAsJson(report: CompareReport): string {
  return `${JSON.stringify(report, (_key, value: unknown) => (typeof value === 'number' ? rounded(value) : value), 2)}\n`
}

/** Renders the report as text. */
export function renderReport(report: CompareReport): string {
  return report.against.map((against) => renderAgainst(report, against)).join('\n')
}

function renderAgainst({ workTree, pairs, machine }: CompareReport, against: CommitReport): string {
  const { commit } = against
  const state = workTree.changed ? 'with changes' : 'unchanged'
  const comparisons = Object.entries(against.comparisons)
  const columns = line(['', 'work tree', short(commit.hash), 'ratio', '95 % bounds'])
  return [
    `the work tree (${short(workTree.hash)} ${state}) against ${short(commit.hash)} (${commit.subject})`,
    `${pairs} pairs, ${machine}; figures are medians`,
    '',
    'cost of a job, and memory of the process that adds or works (a ratio below 1 is cheaper)',
    columns,
    ...comparisons.flatMap(([name, comparison]) => costLines(name, comparison)),
    '',
    'speed: how many times as fast the work tree is (a ratio above 1 is faster)',
    columns,
    ...comparisons.flatMap(([name, { speed }]) =>
      Object.entries(speed).map(([figure, compared]) => figureLine(name, figure, compared)),
    ),
    '',
  ].join('\n')
}

const unitOf: Readonly<Record<string, string>> = {
  clientUs: 'client, µs',
  serverUs: 'server, µs',
  walBytes: 'WAL bytes',
  buffers: 'buffers',
  allocatedBytes: 'allocated bytes',
  statements: 'statements',
  perSecond: 'jobs/s',
  p50Ms: 'p50, ms',
  p99Ms: 'p99, ms',
}

function costLines(name: string, { costsPerJob, peakRssBytes }: Comparison): string[] {
  const { workTree, commit, ratio } = peakRssBytes
  return [
    ...costNames.map((cost) => figureLine(name, cost, costsPerJob[cost])),
    figureLine(name, 'peak RSS, MB', { workTree: workTree / 1e6, commit: commit / 1e6, ratio }),
  ]
}

function figureLine(name: string, figure: string, { workTree, commit, ratio }: Compared): string {
  return line([
    `${name}, ${unitOf[figure] ?? figure}`,
    String(rounded(workTree)),
    String(rounded(commit)),
    ratio === null ? 'not counted' : digits(ratio.ratio),
    ratio === null ? '' : boundsOf(ratio),
  ])
}

function boundsOf({ lower, upper }: RatioEstimate): string {
  return lower === null || upper === null ? 'too few pairs' : `${digits(lower)} to ${digits(upper)}`
}

function line([name = '', ...cells]: readonly string[]): string {
  return `  ${name.padEnd(26)}${cells.map((cell) => cell.padStart(16)).join('')}`.trimEnd()
}

function short(hash: string): string {
  return hash.slice(0, 7)
}

function digits(ratio: number): string {
  return ratio.toFixed(3)
}

/** Rounds to four significant digits, because the fifth is noise. Whole numbers are unchanged. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4))
}
