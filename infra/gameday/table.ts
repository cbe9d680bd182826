import type { AlertResult } from './run-fault.ts'

const head = ['Fault', 'Alert', 'Fired after', 'SQL of its runbook', 'Cleared after', '']

/** The results as a table in Markdown, and below it the alerts that no fault causes, with their reasons. */
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
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`
  const rule = line(widths.map((width) => '-'.repeat(width)))
  const excused = Object.entries(notCaused).map(([alert, why]) => `${alert} is in no fault: ${why}\n`)
  return [line(head), rule, ...rows.map(line), ...excused].join('')
}

function inSeconds(seconds: number | undefined): string {
  return seconds === undefined ? '–' : `${seconds} s`
}
