import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { jobMasker } from '../kinds/job-view.ts'
import { jobIdParameters } from '../wire/job.ts'
import { nextCursor, pageQuery } from '../wire/list-query.ts'
import { encodeLogLine, logLevelQuery, logLineExample, logLineSchema } from '../wire/log-line.ts'
import { jobNotFound } from './get-job.ts'

const logListSchema = z
  .object({ data: z.array(logLineSchema), next_cursor: nextCursor })
  .meta({ id: 'LogList' })

export const listJobLogs = defineOperation({
  operationId: 'listJobLogs',
  method: 'get',
  path: '/jobs/{id}/logs',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'List what the handler of a job has logged',
  description:
    'In the order in which it was logged, attempt after attempt, those that still run among them. An attempt keeps ' +
    `${limits.logLinesPerAttemptMax} lines and ${limits.logBytesPerAttemptMax} bytes; its last line then says how many were ` +
    `dropped. Lines are stored within a second, all of them before the end of the attempt. A request reads at most ` +
    `${limits.listScanRowsMax} lines: with a level a page may be short or even empty, and next_cursor says that there is more.`,
  params: jobIdParameters,
  query: z.strictObject({
    level: logLevelQuery('Lines of this level and of those that are more severe; absent: all.'),
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of lines.',
      content: {
        mediaType: 'application/json',
        schema: logListSchema,
        example: { data: [logLineExample], next_cursor: null },
      },
    },
  ],
  problems: ['job_not_found', 'invalid_cursor', ...databaseProblems],
  async handle({ params, query, context }, services) {
    const masker = await jobMasker(params.id, { context, services })
    const page = await services.queue.logs(params.id, query)
    if (page === undefined) throw jobNotFound()
    const data = page.lines.map((line) => encodeLogLine(line, masker))
    return { status: 200, json: { data, next_cursor: page.nextCursor } }
  },
})
