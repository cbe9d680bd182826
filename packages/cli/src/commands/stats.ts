import type { Stats, StatsQuery } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { choice, instant, text } from '../options.ts'
import type { Column } from '../output/table.ts'
import { filterOf, toSeconds } from './jobs.ts'

const readStats = eitherWay<StatsQuery, Promise<Stats>>({
  api: (client, query) => client.stats(query),
  database: async (queue, { from, to, ...query }) => {
    const [low, high] = [from, to].map((given) => (given === undefined ? undefined : new Date(given)))
    return toWire(await queue.stats({ ...toFilter(query), from: low, to: high }))
  },
})

const filterOptions = {
  queue: text('QUEUE', 'of jobs of this queue'),
  kind: text('KIND', 'of jobs of this kind'),
  tenant: text('TENANT', 'of jobs of this tenant'),
  from: instant('INSTANT', 'from here; by default an hour of minutes, a day of hours or 30 days of days'),
  to: instant('INSTANT', 'up to here; by default now'),
  step: choice('STEP', ['minute', 'hour', 'day'], 'how far each line reaches; by default a minute'),
  by: choice(
    'BY',
    ['time', 'queue', 'series'],
    'queue: a line for each queue; series: for each queue and kind; by default one for each step',
  ),
} as const

type Row = Stats['total'] & { readonly name: string }

const columns: readonly Column<Row>[] = [
  { title: 'from', of: ({ name }) => name },
  { title: 'enqueued', of: (row) => row.enqueued, align: 'right' },
  { title: 'started', of: (row) => row.started, align: 'right' },
  { title: 'succeeded', of: (row) => row.succeeded, align: 'right' },
  { title: 'failed', of: (row) => row.failed, align: 'right' },
  { title: 'retried', of: (row) => row.retried, align: 'right' },
  { title: 'cancelled', of: (row) => row.cancelled, align: 'right' },
  { title: 'wait p95 ms', of: (row) => row.wait_ms?.p95, align: 'right' },
  { title: 'run p95 ms', of: (row) => row.run_ms?.p95, align: 'right' },
]

export const showStats = defineCommand({
  name: 'stats',
  summary: 'show how many jobs came, began and ended, and how long they waited and ran, over time',
  description:
    'The last line is the sum. Minutes are kept for 48 hours, hours for 90 days. Up to the last 10 seconds are missing still.',
  arguments: [],
  options: filterOptions,
  examples: [
    { line: 'queue stats', says: 'The last hour, by minutes' },
    { line: 'queue stats --queue mail --step hour', says: 'The last day of one queue, by hours' },
    { line: 'queue stats --by series', says: 'The last hour of each queue and kind' },
  ],
  async run({ values, door, print }) {
    const stats = await readStats(await door(), filterOf(values, Object.keys(filterOptions)))
    if (print.isJson) return print.json(stats)
    const rows = stats.points.map(({ at, ...point }) => ({ name: toSeconds(at) ?? at, ...point }))
    const series = stats.series.map(({ queue, kind, ...counts }) => ({
      name: queue === null ? 'others' : kind === null ? queue : `${queue}/${kind}`,
      ...counts,
    }))
    await print.table([...rows, ...series, { name: 'all', ...stats.total }], columns)
  },
})
