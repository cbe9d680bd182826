import { defineCommand } from '../../command.ts'
import { jobColumns, jobFilterOptions, jobsPage, toJobFilter } from './jobs.ts'
import { pageOptions, printList } from '../list-page.ts'

export const listJobs = defineCommand({
  name: 'list',
  summary: 'list jobs, newest first',
  description:
    'A job must match all filters. If there are more jobs, standard error has the cursor of the next page.',
  arguments: [],
  options: {
    ...jobFilterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue list', description: 'The newest jobs' },
    {
      line: 'queue list --status failed_permanent --kind send_email',
      description: 'Jobs of a kind that failed permanently',
    },
    { line: `queue list --metadata '{"order_id":4711}'`, description: 'The jobs of an order' },
    { line: 'queue list --queue mail --created-after 2026-01-15 --json', description: 'All members as JSON' },
  ],
  async run(context) {
    const { values, connect } = context
    const filter = toJobFilter(values)
    const backend = await connect()
    await printList(context, {
      fetchPage: (query) => jobsPage(backend, { ...filter, ...query }),
      show: (items) => context.print.table(items, jobColumns),
    })
  },
})
