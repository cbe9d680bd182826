import type { AlertResult } from './run-fault.ts'

const header = ['Fault', 'Alert', 'Fired after', 'SQL of its runbook', 'Cleared after', 'Result']

/** The results as a Markdown table, followed by the alerts that no fault causes and the reasons. */
export function renderTable(
  results: readonly AlertResult[],
  notCaused: Readonly<Record<string, string>>,
): string {
  const rows = results.map((result) => [
    result.fault,
    result.alert,
    inSeconds(result.firedSeconds),
    result.statements === undefined ? '–' : `${result.statements} ran`,
    inSeconds(result.clearedSeconds),
    result.failure === undefined
      ? result.skipped === undefined
        ? 'ok'
        : `not run: ${result.skipped}`
      : `FAILED: ${result.failure}`,
  ])
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  const uncaused = Object.entries(notCaused).map(
    ([alert, reason]) => `${alert} is not caused by any fault: ${reason}\n`,
  )
  return [line(header), rule, ...rows.map(line), ...uncaused].join('')
}

function inSeconds(seconds: number | undefined): string {
  return seconds === undefined ? '–' : `${seconds} s`
}
