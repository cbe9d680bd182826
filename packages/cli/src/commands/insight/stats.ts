import type { Stats, StatsQuery } from '@queue/client'
import { choice, type Column, text, timestamp } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { filterOf, toSeconds } from '../reads/jobs.ts'

const readStats = backendCall<StatsQuery, Promise<Stats>>({
  api: (client, query) => client.stats(query),
  database: async (queue, { from, to, ...query }) => {
    const [start, end] = [from, to].map((time) => (time === undefined ? undefined : new Date(time)))
    return toWire(await queue.stats({ ...toFilter(query), from: start, to: end }))
  },
})

const filterOptions = {
  queue: text('QUEUE', 'jobs of this queue'),
  kind: text('KIND', 'jobs of this kind'),
  tenant: text('TENANT', 'jobs of this tenant'),
  from: timestamp(
    'TIME',
    'start of the time range; default: one hour ago for minutes, one day for hours, 30 days for days',
  ),
  to: timestamp('TIME', 'end of the time range: the start of its step; default: now'),
  step: choice('STEP', ['minute', 'hour', 'day'], 'time of each line; default: minute'),
  by: choice(
    'BY',
    ['time', 'queue', 'series'],
    'one line for each step (default), for each queue, or for each queue and kind',
  ),
} as const

type Row = Stats['total'] & { readonly name: string }

const countColumns: readonly Column<Row>[] = [
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
  summary: 'show how many jobs were enqueued, started and ended, and how long they waited and ran',
  description:
    'The last line is the total. Minutes are kept for 48 hours, hours for 90 days. The last 10 seconds can be missing.',
  arguments: [],
  options: filterOptions,
  examples: [
    { line: 'queue stats', description: 'The last hour by minute' },
    { line: 'queue stats --queue mail --step hour', description: 'The last day of one queue by hour' },
    { line: 'queue stats --by series', description: 'The last hour of each queue and kind' },
  ],
  async run({ values, connect, print }) {
    const stats = await readStats(await connect(), filterOf(values, Object.keys(filterOptions)))
    if (print.isJson) return print.json(stats)
    const rows = stats.points.map(({ at, ...point }) => ({ name: toSeconds(at) ?? at, ...point }))
    const series = stats.series.map(({ queue, kind, ...counts }) => ({
      name: queue === null ? '(others)' : kind === null ? queue : `${queue}/${kind}`,
      ...counts,
    }))
    const nameColumn: Column<Row> = { title: values.by ?? 'time', of: ({ name }) => name }
    await print.table([...rows, ...series, { name: 'total', ...stats.total }], [nameColumn, ...countColumns])
  },
})
