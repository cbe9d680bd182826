import { limits } from '@queue/core'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../kinds/job-view.ts'
import { encodeJob, jobExample, jobSchema, jobStatus, metadataMeta } from '../wire/job.ts'
import { instantFilter, metadataFilter, nextCursor, pageQuery } from '../wire/list-query.ts'

const jobListSchema = z.object({ data: z.array(jobSchema), next_cursor: nextCursor }).meta({ id: 'JobList' })

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
    'that match few of them a page may be short or even empty; next_cursor then says that there is more. A page also ' +
    `ends with the job whose payload, result and error bring it to ${limits.listPageBytesMax} bytes.`,
  query: z.strictObject({
    status: jobStatus.optional(),
    kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
    queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
    tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
    metadata: metadataFilter.optional().meta({
      ...metadataMeta,
      param: { style: 'deepObject', explode: true },
      description:
        'Jobs that have these members in their metadata: `metadata.order_id=4711`, or `metadata[order_id]=4711`. Texts are ' +
        'compared: a number is found by its digits.',
    }),
    created_after: instantFilter('Jobs created at this instant or later.'),
    created_before: instantFilter('Jobs created before this instant.'),
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of jobs.',
      content: {
        mediaType: 'application/json',
        schema: jobListSchema,
        example: { data: [jobExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', 'out_of_scope', ...databaseProblems],
  async handle({ query, context }, services) {
    const view = await viewOf(context, services)
    const { tenant, created_after: createdAfter, created_before: createdBefore, ...rest } = query
    const page = await services.queue.list({ ...rest, tenantId: tenant, createdAfter, createdBefore })
    return {
      status: 200,
      json: { data: page.jobs.map((job) => encodeJob(job, view)), next_cursor: page.nextCursor },
    }
  },
})
