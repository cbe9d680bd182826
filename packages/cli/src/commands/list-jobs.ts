import { defineCommand } from '../command.ts'
import { collectPages } from '../doors/paging.ts'
import { text, whole } from '../options.ts'
import { jobColumns, jobFilterOptions, jobsPage, toJobFilter } from './jobs.ts'

const listedDefault = 50
const listedMax = 10_000

export const listJobs = defineCommand({
  name: 'list',
  summary: 'list jobs, the newest first',
  description:
    'All filters hold at once. Where there are more jobs, a line on standard error has the cursor to go on with.',
  arguments: [],
  options: {
    ...jobFilterOptions,
    limit: whole('N', { min: 1, max: listedMax }, `how many at most; default: ${listedDefault}`),
    cursor: text('CURSOR', 'go on where an earlier list ended, with the same filters'),
  },
  examples: [
    { line: 'queue list', says: 'The newest jobs' },
    { line: 'queue list --status failed_permanent --kind send_email', says: 'E-mails that failed for good' },
    { line: `queue list --metadata '{"order_id":4711}'`, says: 'The jobs of one order' },
    { line: 'queue list --queue mail --created-after 2026-01-15 --json', says: 'As JSON, with every member' },
  ],
  async run({ values, door, print, signal }) {
    const filter = toJobFilter(values)
    const way = await door()
    const page = await collectPages((query) => jobsPage(way, { ...filter, ...query }), {
      limit: values.limit ?? listedDefault,
      cursor: values.cursor,
      signal,
    })
    if (print.isJson) return print.json(page)
    await print.table(page.data, jobColumns)
    if (page.next_cursor !== null) print.note(`there are more: --cursor ${page.next_cursor}`)
  },
})
