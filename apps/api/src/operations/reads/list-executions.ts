import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeExecution, executionExample, executionSchema } from './execution.ts'
import { jobNotFound } from './get-job.ts'
import { jobIdParameters } from './job.ts'

const executionListSchema = z
  .object({ data: z.array(executionSchema).meta({ description: 'The ended attempts, oldest first.' }) })
  .meta({ id: 'ExecutionList', description: 'The ended attempts of a job.' })

export const listExecutions = defineOperation({
  operationId: 'listExecutions',
  method: 'get',
  path: '/jobs/{id}/executions',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'List the attempts of a job',
  description:
    `Returns the ended attempts, oldest first. Up to ${limits.executionsPerJobMax} are kept. A running attempt is ` +
    'not included.',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The ended attempts.',
      content: {
        mediaType: 'application/json',
        schema: executionListSchema,
        example: { data: [executionExample] },
      },
    },
  ],
  problems: ['job_not_found', ...databaseProblems],
  async handle({ params, context }, services) {
    const executions = await services.queue.executions(params.id)
    if (executions === undefined) throw jobNotFound()
    const view = await viewOf(context, services)
    return { status: 200, json: { data: executions.map((execution) => encodeExecution(execution, view)) } }
  },
})
