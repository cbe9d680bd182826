import { type Costs, operations } from './measure-growth.ts'

/** The costs of every situation. The others are compared with the first. */
export type GrowthFigures = readonly { readonly situation: string; readonly costs: Costs }[]

/** The maximum cost of a statement relative to an empty queue, in pages and in time. */
export const growthRatioMax = 1.5

/** Renders the figures as a table of pages and milliseconds, each with its ratio to the first situation. */
export function renderGrowth(figures: GrowthFigures): string {
  const lines = figures.flatMap(({ situation, costs }) => [
    situation,
    ...operations.map((operation) => {
      const base = figures[0]?.costs[operation]
      const { buffers, ms } = costs[operation]
      const pages = `${String(Math.round(buffers)).padStart(8)} pages${ratio(buffers, base?.buffers)}`
      const time = `${ms.toFixed(2).padStart(9)} ms${ratio(ms, base?.ms)}`
      return `  ${operation.padEnd(18)}${pages}${time}`
    }),
  ])
  return `${lines.join('\n')}\n`
}

function ratio(value: number, base: number | undefined): string {
  return base === undefined ? '' : ` ×${(value / base).toFixed(2)}`.padEnd(8)
}
