import { readFile, writeFile } from 'node:fs/promises'
import { type Results, renderChart } from './chart.ts'

const resultsFile = new URL('../../results/latest.json', import.meta.url)
const chartFile = new URL('../../results/latest.svg', import.meta.url)

/** Renders the results as JSON, with ratios to two decimal places, because the third is noise. */
export function renderResults(results: Results): string {
  const ratios = Object.fromEntries(
    Object.entries(results.ratios).map(([name, ratio]) => [name, Number(ratio.toFixed(2))]),
  )
  return `${JSON.stringify({ ...results, ratios }, roundNumber, 2)}\n`
}

function roundNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

/** Writes the results file and the chart. */
export async function writeResults(results: Results): Promise<void> {
  await writeFile(resultsFile, renderResults(results))
  await writeFile(chartFile, renderChart(await readResults()))
}

async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(resultsFile, 'utf8')) as Results
}
