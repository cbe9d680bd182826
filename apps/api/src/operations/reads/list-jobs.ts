import { limits } from '@queue/core'
import { z } from 'zod'
import { mapInTurns } from '../../access/loop-turns.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import { decodeJobFilter, encodeScanned, jobFilter, scannedSchema } from './job-filter.ts'
import { encodeJob, jobExample, jobSchema } from './job.ts'

const jobListSchema = z
  .object({
    data: z.array(jobSchema).meta({ description: 'The jobs, newest first.' }),
    next_cursor: nextCursor,
    scanned: scannedSchema,
  })
  .meta({ id: 'JobList', description: 'A page of jobs.' })

export const listJobs = defineOperation({
  operationId: 'listJobs',
  method: 'get',
  path: '/jobs',
  tag: 'Jobs',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'List jobs, newest first',
  description:
    'Returns the jobs that match all filters. Pagination is stable: jobs that are enqueued meanwhile neither repeat ' +
    `nor hide other jobs. A request reads at most ${limits.listScanRowsMax} jobs. If few of them match, a page can ` +
    'be short or empty while `next_cursor` is set; `scanned` then shows how far the request has read. A page ' +
    `also ends when its payloads, results and errors reach ${limits.listPageBytesMax} bytes.`,
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
    const page = await services.queue.list({ ...decodeJobFilter(filter), limit, cursor })
    const pause = services.turns.pauses(context)
    const data = await mapInTurns(page.jobs, pause, (job) => encodeJob(job, view))
    const json = { data, next_cursor: page.nextCursor, scanned: encodeScanned(page.scanned) }
    return { status: 200, json }
  },
})
