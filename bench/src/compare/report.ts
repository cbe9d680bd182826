import type { Measurement } from '../throughput/measurement.ts'
import { costNames } from './costs.ts'
import { type Comparisons, type Comparison, type Role, roles } from './run-compare.ts'

/** The content of the printed report. */
export interface CompareReport {
  readonly machine: string
  /** The day of the run, ISO 8601. */
  readonly measuredOn: string
  readonly workTree: { readonly hash: string; readonly changed: boolean }
  readonly commit: { readonly hash: string; readonly subject: string }
  readonly pairs: number
  /** The number of jobs of each measurement. */
  readonly counts: Readonly<Partial<Record<Measurement, number>>>
  readonly comparisons: Comparisons
}

/** Renders the report as JSON, with significant digits only. */
export function renderReportAsJson(report: CompareReport): string {
  return `${JSON.stringify(report, (_key, value: unknown) => (typeof value === 'number' ? rounded(value) : value), 2)}\n`
}

/** Renders the report as text. */
export function renderReport(report: CompareReport): string {
  const { workTree, commit, pairs, machine } = report
  const names = { workTree: 'work tree', commit: short(commit.hash) }
  const state = workTree.changed ? 'with changes' : 'unchanged'
  const comparisons = Object.entries(report.comparisons)
  const columns = ['', names.workTree, names.commit, 'ratio', '95 % bounds']
  return [
    `the work tree (${short(workTree.hash)} ${state}) against ${names.commit} (${commit.subject})`,
    `${pairs} pairs, ${machine}`,
    '',
    'speed: how many times as fast the work tree is (above 1 is faster); figures are medians',
    line(columns),
    ...comparisons.flatMap(([name, comparison]) => speedLines(name, comparison)),
    '',
    'cost per job, medians: on the server, and processor time of the producer or worker process',
    line(['', 'statements', 'WAL bytes', 'buffers', 'processor, µs']),
    ...comparisons.flatMap(([name, comparison]) => costLines(name, comparison, names)),
    '',
  ].join('\n')
}

const unitOf: Readonly<Record<string, string>> = { perSecond: 'jobs/s', p50Ms: 'p50, ms', p99Ms: 'p99, ms' }

function speedLines(name: string, { speed }: Comparison): string[] {
  return Object.entries(speed).map(([figure, { workTree, commit, ratio, lower, upper }]) => {
    const bounds = lower === null || upper === null ? 'too few pairs' : `${digits(lower)} to ${digits(upper)}`
    return line([
      `${name}, ${unitOf[figure] ?? figure}`,
      String(rounded(workTree)),
      String(rounded(commit)),
      digits(ratio),
      bounds,
    ])
  })
}

function costLines(
  name: string,
  { costsPerJob }: Comparison,
  names: Readonly<Record<Role, string>>,
): string[] {
  const { workTree, commit } = costsPerJob
  return [
    ...roles.map((role) =>
      line([`${name}, ${names[role]}`, ...costNames.map((cost) => String(rounded(costsPerJob[role][cost])))]),
    ),
    line([`${name}, ratio`, ...costNames.map((cost) => digits(workTree[cost] / commit[cost]))]),
  ]
}

function line([name = '', ...cells]: readonly string[]): string {
  return `  ${name.padEnd(20)}${cells.map((cell) => cell.padStart(16)).join('')}`.trimEnd()
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
