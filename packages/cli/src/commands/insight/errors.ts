import type { ErrorGroup, ErrorList, ErrorPageQuery } from '@queue/client'
import { choice, type Column, text, texts, timestamp } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { filterOf, toSeconds } from '../reads/jobs.ts'
import { pageOptions, printList } from '../list-page.ts'

const errorsPage = backendCall<ErrorPageQuery, Promise<ErrorList>>({
  api: (client, query) => client.errorsPage(query),
  database: async (queue, { from, to, ...query }) => {
    const [start, end] = [from, to].map((time) => (time === undefined ? undefined : new Date(time)))
    const { groups, range, nextCursor } = await queue.errors({ ...toFilter(query), from: start, to: end })
    return { data: toWire(groups), range: toWire(range), next_cursor: nextCursor }
  },
})

const filterOptions = {
  fingerprint: texts('FINGERPRINT', 'groups with this fingerprint'),
  kind: text('KIND', 'groups of this kind'),
  queue: text('QUEUE', 'groups of this queue'),
  tenant: text('TENANT', 'groups of this tenant'),
  from: timestamp('TIME', 'count failures from the hour of this time; hours are kept for 30 days'),
  to: timestamp('TIME', 'count failures up to the hour of this time; default: now'),
  sort: choice(
    'SORT',
    ['last', 'first', 'count'],
    'order: last seen first (default), most recently created first, or most failures first',
  ),
} as const

const columns: readonly Column<ErrorGroup>[] = [
  { title: 'fingerprint', of: (one) => one.fingerprint },
  { title: 'count', of: (one) => one.in_range?.count ?? one.count, align: 'right' },
  {
    title: 'failure rate',
    of: ({ in_range: inRange }) => inRange && percentOf(inRange.share),
    align: 'right',
  },
  { title: 'last seen', of: (one) => toSeconds(one.last_seen_at) },
  { title: 'kind', of: (one) => one.kind, shrinks: true },
  { title: 'queue', of: (one) => one.queue, shrinks: true },
  { title: 'versions', of: (one) => one.worker_versions.join(','), shrinks: true },
  { title: 'error', of: (one) => one.sample_error.split('\n', 1)[0] ?? '', shrinks: true },
]

function percentOf(share: number | null): string | null {
  return share === null ? null : `${(100 * share).toFixed(1)} %`
}

export const listErrors = defineCommand({
  name: 'errors',
  summary: 'list error groups: failed attempts grouped by their cause',
  description:
    'With --from or --to, each group has the number of its failures in that time range and their share of the ' +
    'attempts of its kind. The JSON output also has the trend, the first failure, and a sample error with its stack. ' +
    'To requeue the dead letters of a group, run: queue dead-letters requeue --fingerprint FINGERPRINT. To cancel ' +
    'its waiting jobs, run: queue cancel --fingerprint FINGERPRINT.',
  arguments: [],
  options: {
    ...filterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue errors', description: 'What fails' },
    {
      line: 'queue errors --from 2026-01-15T00:00:00Z --sort count',
      description: 'What failed most since a time',
    },
    { line: 'queue errors --queue mail --json', description: 'One queue, with stacks' },
  ],
  async run(context) {
    const { values, connect } = context
    const filter = filterOf(values, Object.keys(filterOptions))
    const backend = await connect()
    await printList(context, {
      fetchPage: (query) => errorsPage(backend, { ...filter, ...query }),
      show: (items) => context.print.table(items, columns),
    })
  },
})
