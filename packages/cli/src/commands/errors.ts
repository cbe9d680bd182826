import type { ErrorGroup, ErrorList, ErrorPageQuery } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { collectPages } from '../doors/paging.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { text, whole } from '../options.ts'
import type { Column } from '../output/table.ts'
import { filterOf, toSeconds } from './jobs.ts'

const errorsPage = eitherWay<ErrorPageQuery, Promise<ErrorList>>({
  api: (client, query) => client.errorsPage(query),
  database: async (queue, query) => {
    const { groups, nextCursor } = await queue.errors(toFilter(query))
    return { data: toWire(groups), next_cursor: nextCursor }
  },
})

const filterOptions = {
  fingerprint: text('FINGERPRINT', 'those of this cause'),
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

const listedDefault = 50
const listedMax = 10_000

export const listErrors = defineCommand({
  name: 'errors',
  summary: 'list the failures of jobs by their causes, those that were seen last first',
  description:
    'With --json each has its first sight, a job that failed so, and the error of that with its stack. Requeue those that have failed for good by: queue dead-letters requeue --fingerprint FINGERPRINT.',
  arguments: [],
  options: {
    ...filterOptions,
    limit: whole('N', { min: 1, max: listedMax }, `how many at most; default: ${listedDefault}`),
    cursor: text('CURSOR', 'go on where an earlier list ended, with the same filters'),
  },
  examples: [
    { line: 'queue errors', says: 'What fails' },
    { line: 'queue errors --queue mail --json', says: 'In one queue, with stacks' },
  ],
  async run({ values, door, print, signal }) {
    const filter = filterOf(values, Object.keys(filterOptions))
    const way = await door()
    const page = await collectPages((query) => errorsPage(way, { ...filter, ...query }), {
      limit: values.limit ?? listedDefault,
      cursor: values.cursor,
      signal,
    })
    if (print.isJson) return print.json(page)
    await print.table(page.data, columns)
    if (page.next_cursor !== null) print.note(`there are more: --cursor ${page.next_cursor}`)
  },
})
