import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { renderChart } from '../src/results/chart.ts'
import type { Results } from '../src/results/chart.ts'
import { renderResults } from '../src/results/results.ts'
import { ratiosOf } from '../src/throughput/report-throughput.ts'

const figures = {
  enqueue: {
    ours: { perSecond: 80_000.123 },
    'graphile-worker': { perSecond: 40_000 },
    'pg-boss': { perSecond: 50_000 },
  },
  latency: { ours: { p50Ms: 2, p99Ms: 4 }, 'pg-boss': { p50Ms: 1, p99Ms: 8 } },
}
const results: Results = {
  machine: '2 × <processor> & "memory"',
  measuredOn: '2026-01-01',
  figures,
  ratios: { 'enqueue vs pg-boss': 1.234_567 },
}

test('a ratio is our figure divided by that of the other contender', () => {
  expect(ratiosOf('enqueue', figures.enqueue)).toEqual({
    'enqueue vs graphile-worker': 80_000.123 / 40_000,
    'enqueue vs pg-boss': 80_000.123 / 50_000,
  })
  expect(ratiosOf('latency', figures.latency)).toEqual({
    'latency p50Ms vs pg-boss': 2,
    'latency p99Ms vs pg-boss': 0.5,
  })
})

test('results are written with significant digits only', () => {
  expect(JSON.parse(renderResults(results))).toMatchObject({
    figures: { enqueue: { ours: { perSecond: 80_000 } } },
    ratios: { 'enqueue vs pg-boss': 1.23 },
  })
})

test('the chart shows every contender, with the longest bar for the largest figure of its group, and a description as text', () => {
  const chart = renderChart(results)
  const label = /aria-label="([^"]*)"/.exec(chart)?.[1]
  expect(label).toContain('ours 80 000 jobs/s, graphile-worker 40 000 jobs/s, pg-boss 50 000 jobs/s')
  const lengths = [...chart.matchAll(/<rect x="\d+" y="\d+" width="([\d.]+)"/g)].map(([, length]) =>
    Number(length),
  )
  expect(lengths).toHaveLength(7)
  const [ours = 0, graphile = 0, boss = 0] = lengths
  expect(graphile / ours).toBeCloseTo(0.5, 2)
  expect(boss / ours).toBeCloseTo(0.625, 2)
})

test('the chart is well-formed for any name of the machine', () => {
  expect(renderChart(results)).toContain('2 × &lt;processor> &amp; &quot;memory&quot;')
})

test('the committed chart is drawn from the committed results', async () => {
  const read = (name: string): Promise<string> =>
    readFile(path.join(import.meta.dirname, '..', 'results', name), 'utf8')
  expect(await read('latest.svg')).toBe(renderChart(JSON.parse(await read('latest.json')) as Results))
})
