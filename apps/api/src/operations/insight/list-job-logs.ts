import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import { jobNotFound } from '../reads/get-job.ts'
import { jobIdParameters } from '../reads/job.ts'
import { encodeLogLine, logLevelQuery, logLineExample, logLineSchema } from './log-line.ts'

const logListSchema = z
  .object({ data: z.array(logLineSchema).meta({ description: 'The log lines.' }), next_cursor: nextCursor })
  .meta({ id: 'LogList', description: 'A page of log lines.' })

export const listJobLogs = defineOperation({
  operationId: 'listJobLogs',
  method: 'get',
  path: '/jobs/{id}/logs',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'List the log lines of a job',
  description:
    'Returns the log lines of all attempts in the order in which they were logged, including those of a running ' +
    `attempt. Up to ${limits.logLinesPerAttemptMax} lines and ${limits.logBytesPerAttemptMax} bytes are kept for ` +
    'each attempt; its last line then has the number of dropped lines. Lines are stored within a second, and all ' +
    `lines of an attempt before its end. A request reads at most ${limits.listScanRowsMax} lines. With \`level\`, a ` +
    'page can therefore be short or empty while `next_cursor` is set.',
  params: jobIdParameters,
  query: z.strictObject({
    level: logLevelQuery('Return only lines of this level or higher. By default, all lines are returned.'),
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of log lines.',
      content: {
        mediaType: 'application/json',
        schema: logListSchema,
        example: { data: [logLineExample], next_cursor: null },
      },
    },
  ],
  problems: ['job_not_found', 'invalid_cursor', ...databaseProblems],
  async handle({ params, query }, { queue }) {
    const page = await queue.logs(params.id, query)
    if (page === undefined) throw jobNotFound()
    const data = page.lines.map(encodeLogLine)
    return { status: 200, json: { data, next_cursor: page.nextCursor } }
  },
})
