import { defineCommand } from '../command.ts'
import { jobColumns, jobFilterOptions, jobsPage, toJobFilter } from './jobs.ts'
import { pageOptions, printList } from './list-page.ts'

export const listJobs = defineCommand({
  name: 'list',
  summary: 'list jobs, the newest first',
  description:
    'All filters hold at once. Where there are more jobs, a line on standard error has the cursor to go on with.',
  arguments: [],
  options: {
    ...jobFilterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue list', says: 'The newest jobs' },
    { line: 'queue list --status failed_permanent --kind send_email', says: 'E-mails that failed for good' },
    { line: `queue list --metadata '{"order_id":4711}'`, says: 'The jobs of one order' },
    { line: 'queue list --queue mail --created-after 2026-01-15 --json', says: 'As JSON, with every member' },
  ],
  async run(context) {
    const { values, door } = context
    const filter = toJobFilter(values)
    const way = await door()
    await printList(context, {
      fetchPage: (query) => jobsPage(way, { ...filter, ...query }),
      show: (items) => context.print.table(items, jobColumns),
    })
  },
})
