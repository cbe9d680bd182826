import type { RunResult } from '../scenarios/scenario.ts'
import type { ScenarioRun } from './run-scenario.ts'
import type { RunEnvironment } from './run-environment.ts'

/** One scenario of the report, as results/latest.json stores it. */
export interface ReportEntry extends RunEnvironment {
  readonly number: number
  readonly name: string
  readonly law: string
  readonly jobs: number
  readonly count: number
  readonly counted: string
  readonly seed: number
  readonly seconds: number
  /** ISO 8601, UTC. */
  readonly ranAt: string
  /** The result. The member keeps the name that it has in results/latest.json. */
  readonly verdict: RunResult
}

export function entryOf(
  { scenario, size, seed, seconds, result }: ScenarioRun,
  ranAt: Date,
  environment: RunEnvironment,
): ReportEntry {
  const { number, name, law, counted } = scenario
  const { jobs, count } = size
  return {
    number,
    name,
    law,
    jobs,
    count,
    counted,
    seed,
    seconds: Math.round(seconds),
    ranAt: ranAt.toISOString(),
    ...environment,
    verdict: result,
  }
}

/** The entries of the scenarios that ran now, and the earlier entries of the others, in the order of the table. */
export function mergeEntries(
  earlier: readonly ReportEntry[],
  entries: readonly ReportEntry[],
): ReportEntry[] {
  const byName = new Map([...earlier, ...entries].map((entry) => [entry.name, entry]))
  return [...byName.values()].sort((a, b) => a.number - b.number)
}

export function renderReport(entries: readonly ReportEntry[]): string {
  const lines = entries.map(
    (entry) =>
      `| ${entry.number} | ${entry.name} | ${entry.law} | ${sizeOf(entry)} | ${entry.seed} | ${countsOf(entry.verdict)} ` +
      `| ${resultText(entry.verdict)} | ${entry.seconds} s | ${entry.ranAt.slice(0, 10)} | ${entry.commit} |`,
  )
  return `# The fault suite's last results

Written by \`pnpm chaos\`: the last run of each scenario, with the seed that replays it, on: ${machinesOf(entries)}.

| # | Scenario | Law | Size | Seed | Counts | Result | Duration | Run on | Commit |
|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`
}

function sizeOf({ jobs, count, counted }: ReportEntry): string {
  return [...(jobs > 0 ? [`${jobs} jobs`] : []), `${count} ${counted}`].join(', ')
}

function countsOf({ counts }: RunResult): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')
}

function resultText(result: RunResult): string {
  switch (result.outcome) {
    case 'held':
      return 'held'
    case 'broken':
      return `**broken**: ${result.faults.length} faults`
    case 'void':
    case 'skipped':
      return `**${result.outcome}**: ${result.reason}`
  }
}

/** The result of a scenario for a terminal, with every fault. */
export function renderResult({ scenario, seed, seconds, result }: ScenarioRun): string {
  const faults = result.outcome === 'broken' ? result.faults.map((fault) => `\n    ${fault}`) : []
  const outcomeText = result.outcome === 'broken' ? 'BROKEN' : resultText(result).replaceAll('**', '')
  return `${scenario.number} ${scenario.name} (${scenario.law}): ${outcomeText} in ${seconds.toFixed(1)} s, seed ${seed}; ${countsOf(result)}${faults.join('')}\n`
}

function machinesOf(entries: readonly ReportEntry[]): string {
  return [...new Set(entries.map(({ machine }) => machine))].join('; ')
}
