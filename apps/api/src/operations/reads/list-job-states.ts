import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeJobState, jobStateExample, jobStateSchema } from './job-state.ts'

const statesSchema = z
  .object({ data: z.array(jobStateSchema).meta({ description: 'The states, in no particular order.' }) })
  .meta({ id: 'JobStateSummaryList', description: 'The states of several jobs.' })
const requestSchema = z
  .strictObject({
    ids: z.array(z.uuid()).min(1).max(limits.listLimitMax).meta({ description: 'The ids of the jobs.' }),
  })
  .meta({ id: 'JobStatesOf', description: 'The jobs whose states to read.' })

export const listJobStates = defineOperation({
  operationId: 'listJobStates',
  method: 'post',
  path: '/jobs/states',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Get the states of several jobs',
  description:
    `Returns the members that change while a job runs, for up to ${limits.listLimitMax} jobs in one read. Jobs that ` +
    'do not exist are left out. Nothing is written.',
  body: {
    schema: requestSchema,
    refusedAs: 'invalid_body',
    description: 'The jobs to read.',
    examples: { one: { summary: 'One job', value: { ids: [jobStateExample.id] } } },
  },
  successes: [
    {
      status: 200,
      description: 'The states of the jobs that exist.',
      content: { mediaType: 'application/json', schema: statesSchema, example: { data: [jobStateExample] } },
    },
  ],
  problems: databaseProblems,
  async handle({ body }, { queue }) {
    return { status: 200, json: { data: (await queue.states(body.ids)).map(encodeJobState) } }
  },
})
