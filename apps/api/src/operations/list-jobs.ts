import { jobFields, limits } from '@queue/core'
import { z } from 'zod'
import { cursorLengthMax } from '../http/limits.ts'
import { defineOperation } from '../http/operation.ts'
import { databaseProblems } from '../http/problems-of.ts'
import { instantInput } from '../wire/instant.ts'
import { jobStatus } from '../wire/job-status.ts'
import { encodeJob, jobExample, jobSchema } from '../wire/job.ts'

const instant = (description: string) =>
  instantInput.optional().meta({ type: 'string', format: 'date-time', description })

const jobListSchema = z
  .object({
    data: z.array(jobSchema),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'What to send as cursor for the next page; null at the end.' }),
  })
  .meta({ id: 'JobList' })

export const listJobs = defineOperation({
  operationId: 'listJobs',
  method: 'get',
  path: '/jobs',
  tag: 'Jobs',
  access: 'token',
  summary: 'List jobs, newest first',
  description:
    'All filters hold at once. Pages stay right while jobs are enqueued: none is shown twice and none that was there ' +
    `at the start is left out. A request reads a bounded number of jobs (${limits.listScanRowsMax}); with filters that ` +
    'match few of them a page may be short, even empty, while next_cursor says that there is more.',
  query: z.strictObject({
    status: jobStatus.optional(),
    kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
    queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
    tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
    created_after: instant('Jobs created at this instant or later.'),
    created_before: instant('Jobs created before this instant.'),
    limit: z
      .string()
      .regex(/^\d{1,4}$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.int().min(1).max(limits.listLimitMax))
      .optional()
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: limits.listLimitMax,
        default: limits.listLimitDefault,
        description: 'How many jobs a page may have.',
      }),
    cursor: z.string().min(1).max(cursorLengthMax).optional().meta({
      description: 'The next_cursor of the page before, with the same filters.',
    }),
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
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query }, { queue }) {
    const { tenant, created_after: createdAfter, created_before: createdBefore, ...rest } = query
    const page = await queue.list({ ...rest, tenantId: tenant, createdAfter, createdBefore })
    return { status: 200, json: { data: page.jobs.map(encodeJob), next_cursor: page.nextCursor } }
  },
})
