import type { ErrorGroup, ErrorList, ErrorPageQuery } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { text, texts } from '../options.ts'
import type { Column } from '../output/table.ts'
import { filterOf, toSeconds } from './jobs.ts'
import { pageOptions, printList } from './list-page.ts'

const errorsPage = eitherWay<ErrorPageQuery, Promise<ErrorList>>({
  api: (client, query) => client.errorsPage(query),
  database: async (queue, query) => {
    const { groups, nextCursor } = await queue.errors(toFilter(query))
    return { data: toWire(groups), next_cursor: nextCursor }
  },
})

const filterOptions = {
  fingerprint: texts('FINGERPRINT', 'those of this cause'),
  kind: text('KIND', 'those of jobs of this kind'),
  queue: text('QUEUE', 'those of this queue'),
  tenant: text('TENANT', 'those of this tenant'),
} as const

const columns: readonly Column<ErrorGroup>[] = [
  { title: 'fingerprint', of: (one) => one.fingerprint },
  { title: 'count', of: (one) => one.count, align: 'right' },
  { title: 'last seen', of: (one) => toSeconds(one.last_seen_at) },
  { title: 'kind', of: (one) => one.kind, shrinks: true },
  { title: 'queue', of: (one) => one.queue, shrinks: true },
  { title: 'versions', of: (one) => one.worker_versions.join(','), shrinks: true },
  { title: 'error', of: (one) => one.sample_error.split('\n', 1)[0] ?? '', shrinks: true },
]

export const listErrors = defineCommand({
  name: 'errors',
  summary: 'list the failures of jobs by their causes, those that were seen last first',
  description:
    'With --json each has its first sight, a job that failed so, and the error of that with its stack. Requeue the jobs that have failed for good by: queue dead-letters requeue --fingerprint FINGERPRINT. Cancel those that wait for another attempt by: queue cancel --fingerprint FINGERPRINT.',
  arguments: [],
  options: {
    ...filterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue errors', says: 'What fails' },
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
