import type { ErrorGroup, ErrorList, ErrorPageQuery } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { choice, instant, text, texts } from '../options.ts'
import type { Column } from '../output/table.ts'
import { filterOf, toSeconds } from './jobs.ts'
import { pageOptions, printList } from './list-page.ts'

const errorsPage = eitherWay<ErrorPageQuery, Promise<ErrorList>>({
  api: (client, query) => client.errorsPage(query),
  database: async (queue, { from, to, ...query }) => {
    const [low, high] = [from, to].map((given) => (given === undefined ? undefined : new Date(given)))
    const { groups, range, nextCursor } = await queue.errors({ ...toFilter(query), from: low, to: high })
    return { data: toWire(groups), range: toWire(range), next_cursor: nextCursor }
  },
})

const filterOptions = {
  fingerprint: texts('FINGERPRINT', 'those of this cause'),
  kind: text('KIND', 'those of jobs of this kind'),
  queue: text('QUEUE', 'those of this queue'),
  tenant: text('TENANT', 'those of this tenant'),
  from: instant('INSTANT', 'count failures from the hour of this; hours are kept for 30 days'),
  to: instant('INSTANT', 'count them up to the hour of this; by default now'),
  sort: choice(
    'SORT',
    ['last', 'first', 'count'],
    'begin with what was seen last, came last, or failed most; by default last',
  ),
} as const

const columns: readonly Column<ErrorGroup>[] = [
  { title: 'fingerprint', of: (one) => one.fingerprint },
  { title: 'count', of: (one) => one.in_range?.count ?? one.count, align: 'right' },
  { title: 'share', of: ({ in_range: inRange }) => inRange && percentOf(inRange.share), align: 'right' },
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
  summary: 'list the failures of jobs by their causes',
  description:
    'With --from or --to: how many failures of that time each has, and their share of the attempts of its kind. With --json each has its trend, its first sight, a job that failed so, and the error of that with its stack. Requeue the jobs that have failed for good by: queue dead-letters requeue --fingerprint FINGERPRINT. Cancel those that wait for another attempt by: queue cancel --fingerprint FINGERPRINT.',
  arguments: [],
  options: {
    ...filterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue errors', says: 'What fails' },
    { line: 'queue errors --from 2026-01-15T00:00:00Z --sort count', says: 'What failed most since then' },
    { line: 'queue errors --queue mail --json', says: 'In one queue, with stacks' },
  ],
  async run(context) {
    const { values, door } = context
    const filter = filterOf(values, Object.keys(filterOptions))
    const way = await door()
    await printList(context, {
      fetchPage: (query) => errorsPage(way, { ...filter, ...query }),
      show: (items) => context.print.table(items, columns),
    })
  },
})
