import { steps, wholeLife } from './measure-life.ts'
import type { StorageFigures } from './run-storage.ts'

/** Renders the figures as two tables, each cost of one job. */
export function renderStorage({ lives, processor }: StorageFigures): string {
  const costs = lives.map((life) => {
    const { walBytes, buffers } = wholeLife(life)
    const wal = steps.map((step) => life.perStep[step].walBytes)
    return [
      life.sort.padEnd(28),
      ...[...wal, walBytes].map(whole),
      buffers.toFixed(1).padStart(9),
      whole(life.diskBytes),
    ].join('')
  })
  const times = processor.map(
    ({ batch, leastUs, medianUs }) =>
      `  ${String(batch).padStart(4)}${leastUs.toFixed(1).padStart(10)}${medianUs.toFixed(1).padStart(10)}`,
  )
  return `${[
    `${'WAL in bytes:'.padEnd(28)}${[...steps, 'a life', 'pages', 'disk'].map((name) => name.padStart(9)).join('')}`,
    ...costs,
    '',
    'processor time of the server for claim and finish, in µs by the size of a batch',
    ' batch     least    median',
    ...times,
  ].join('\n')}\n`
}

const whole = (value: number): string => String(Math.round(value)).padStart(9)
