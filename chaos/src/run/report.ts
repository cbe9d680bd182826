import type { Verdict } from '../scenarios/scenario.ts'
import type { ScenarioResult } from './run-scenario.ts'
import type { Surroundings } from './surroundings.ts'

/** One scenario of the report, as it is kept in a file. */
export interface ReportEntry extends Surroundings {
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
  readonly verdict: Verdict
}

export function entryOf(
  { scenario, size, seed, seconds, verdict }: ScenarioResult,
  ranAt: Date,
  surroundings: Surroundings,
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
    ...surroundings,
    verdict,
  }
}

/** The scenarios that were run now, and of the others what is known from earlier, in the order of the table. */
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
      `| ${verdictText(entry.verdict)} | ${entry.seconds} s | ${entry.ranAt.slice(0, 10)} | ${entry.commit} |`,
  )
  return `# The fault suite's last results

Written by \`pnpm chaos\`: each scenario as it was last run, with the seed that replays it, on: ${machinesOf(entries)}.

| # | Scenario | Law | Size | Seed | Counts | Verdict | Took | Run on | Commit |
|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`
}

function sizeOf({ jobs, count, counted }: ReportEntry): string {
  return [...(jobs > 0 ? [`${jobs} jobs`] : []), `${count} ${counted}`].join(', ')
}

function countsOf({ counts }: Verdict): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')
}

function verdictText(verdict: Verdict): string {
  switch (verdict.outcome) {
    case 'held':
      return 'held'
    case 'broken':
      return `**broken**: ${verdict.faults.length} faults`
    case 'void':
    case 'skipped':
      return `**${verdict.outcome}**: ${verdict.reason}`
  }
}

/** One scenario's result for a terminal, with every fault. */
export function renderResult({ scenario, seed, seconds, verdict }: ScenarioResult): string {
  const faults = verdict.outcome === 'broken' ? verdict.faults.map((fault) => `\n    ${fault}`) : []
  const outcomeText = verdict.outcome === 'broken' ? 'BROKEN' : verdictText(verdict).replaceAll('**', '')
  return `${scenario.number} ${scenario.name} (${scenario.law}): ${outcomeText} in ${seconds.toFixed(1)} s, seed ${seed}; ${countsOf(verdict)}${faults.join('')}\n`
}

function machinesOf(entries: readonly ReportEntry[]): string {
  return [...new Set(entries.map(({ machine }) => machine))].join('; ')
}
