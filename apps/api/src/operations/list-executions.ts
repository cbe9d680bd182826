import { limits } from '@queue/core'
import { z } from 'zod'
import { defineOperation } from '../http/operation.ts'
import { databaseProblems } from '../http/problems-of.ts'
import { encodeExecution, executionExample, executionSchema } from '../wire/execution.ts'
import { jobIdParameters } from '../wire/job-id-parameter.ts'
import { jobNotFound } from './job-not-found.ts'

const executionListSchema = z.object({ data: z.array(executionSchema) }).meta({ id: 'ExecutionList' })

export const listExecutions = defineOperation({
  operationId: 'listExecutions',
  method: 'get',
  path: '/jobs/{id}/executions',
  tag: 'Jobs',
  access: 'token',
  summary: 'List the ended attempts of a job',
  description: `Oldest first; at most ${limits.executionsPerJobMax} are kept. An attempt that is still running is not among them.`,
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The attempts.',
      content: {
        mediaType: 'application/json',
        schema: executionListSchema,
        example: { data: [executionExample] },
      },
    },
  ],
  problems: ['job_not_found', ...databaseProblems],
  async handle({ params }, { queue }) {
    const executions = await queue.executions(params.id)
    if (executions === undefined) throw jobNotFound()
    return { status: 200, json: { data: executions.map(encodeExecution) } }
  },
})
