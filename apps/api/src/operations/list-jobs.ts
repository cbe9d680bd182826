import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../kinds/job-view.ts'
import { encodeJob, jobExample, jobSchema } from '../wire/job.ts'
import { decodeJobFilter, encodeScanned, jobFilter, scannedSchema } from '../wire/job-filter.ts'
import { nextCursor, pageQuery } from '../wire/list-query.ts'

const jobListSchema = z
  .object({ data: z.array(jobSchema), next_cursor: nextCursor, scanned: scannedSchema })
  .meta({ id: 'JobList' })

export const listJobs = defineOperation({
  operationId: 'listJobs',
  method: 'get',
  path: '/jobs',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'List jobs, newest first',
  description:
    'All filters hold at once. Jobs that are enqueued meanwhile do not disturb the pages: no job is shown twice, and ' +
    `none that was there at the start is missing. A request reads at most ${limits.listScanRowsMax} jobs. With filters ` +
    'that match few of them a page may be short or even empty; next_cursor then says that there is more, and scanned how far ' +
    'it has looked. A page also ' +
    `ends with the job whose payload, result and error bring it to ${limits.listPageBytesMax} bytes.`,
  query: z.strictObject({
    ...jobFilter,
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of jobs.',
      content: {
        mediaType: 'application/json',
        schema: jobListSchema,
        example: { data: [jobExample], next_cursor: null, scanned: null },
      },
    },
  ],
  problems: ['invalid_cursor', 'out_of_scope', ...databaseProblems],
  async handle({ query, context }, services) {
    const view = await viewOf(context, services)
    const { limit, cursor, ...filter } = query
    const page = await services.queue.list({ ...decodeJobFilter(filter, context), limit, cursor })
    const data = page.jobs.map((job) => encodeJob(job, view))
    const json = { data, next_cursor: page.nextCursor, scanned: encodeScanned(page.scanned) }
    return { status: 200, json }
  },
})
