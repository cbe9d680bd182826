import type { Measurement } from './measurement.ts'
import type { ThroughputFigures } from './run-throughput.ts'

/** By `<work> vs <other>`: our rate (for latencies our time) relative to the other. */
export type Ratios = Readonly<Record<string, number>>

/** The ratios of our figures to those of every other contender. */
export function ratiosOf(measurement: Measurement, figures: ThroughputFigures): Ratios {
  const { ours = {}, ...rivals } = figures
  return Object.fromEntries(
    Object.entries(rivals).flatMap(([rival, result]) =>
      Object.entries(result).map(([figure, value]) => {
        const work = figure === 'perSecond' ? measurement : `${measurement} ${figure}`
        return [`${work} vs ${rival}`, (ours[figure] ?? Number.NaN) / value]
      }),
    ),
  )
}

/** Renders the figures and ratios as text. */
export function renderThroughput(measurement: Measurement, figures: ThroughputFigures): string {
  const lines = Object.entries(figures).map(([name, result]) => {
    const columns = Object.entries(result).map(([figure, value]) => `${figure} ${round(value)}`)
    return `  ${name.padEnd(18)}${columns.join('   ')}`
  })
  const ratios = Object.entries(ratiosOf(measurement, figures)).map(
    ([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`,
  )
  return `${[measurement, ...lines, ...ratios].join('\n')}\n`
}

function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2)
}
