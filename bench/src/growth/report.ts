import { type Costs, operations } from './measure-growth.ts'

/** The costs of every situation, the first of which is the one to compare with. */
export type GrowthFigures = readonly { readonly situation: string; readonly costs: Costs }[]

/** A statement may cost so much more than on an empty queue, in pages and in time. */
export const growthRatioMax = 1.5

/** The figures as a table: pages and milliseconds, each with its ratio to the first situation. */
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
