import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { encodeJobState, jobStateExample, jobStateSchema } from '../wire/job-state.ts'

const statesSchema = z.object({ data: z.array(jobStateSchema) }).meta({ id: 'JobStateSummaryList' })
const requestSchema = z
  .strictObject({
    ids: z.array(z.uuid()).min(1).max(limits.listLimitMax).meta({ description: 'The jobs.' }),
  })
  .meta({ id: 'JobStatesOf' })

export const listJobStates = defineOperation({
  operationId: 'listJobStates',
  method: 'post',
  path: '/jobs/states',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Read the states of some jobs',
  description: `What changes of up to ${limits.listLimitMax} jobs while they run, in one read and no order, without their documents. Those that are not there are left out. Nothing is written.`,
  body: {
    schema: requestSchema,
    refusedAs: 'invalid_body',
    description: 'Which jobs.',
    examples: { one: { summary: 'One job', value: { ids: [jobStateExample.id] } } },
  },
  successes: [
    {
      status: 200,
      description: 'The states of those that are there.',
      content: { mediaType: 'application/json', schema: statesSchema, example: { data: [jobStateExample] } },
    },
  ],
  problems: databaseProblems,
  async handle({ body }, { queue }) {
    return { status: 200, json: { data: (await queue.states(body.ids)).map(encodeJobState) } }
  },
})
