import { limits } from '@queue/core'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { jobNotFound } from '../reads/get-job.ts'
import { jobIdParameters } from '../reads/job.ts'
import { encodeExpectedStart, expectedStartExample, expectedStartSchema } from './expected-start.ts'

export const getExpectedStart = defineOperation({
  operationId: 'getExpectedStart',
  method: 'get',
  path: '/jobs/{id}/expected-start',
  tag: 'Jobs',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'Estimate when a job will start',
  description:
    'Returns the position of a waiting job in its queue and an estimated start, based on the last five minutes. Only ' +
    'minutes in which jobs had to wait for a slot are used, because only those show how fast the queue can start ' +
    `jobs. If there is no estimate, \`expected_at\` is null and \`unknown\` has the reason. Up to ${limits.placeMax} ` +
    'earlier jobs are counted, including jobs of kinds that no worker runs.',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The estimate.',
      content: { mediaType: 'application/json', schema: expectedStartSchema, example: expectedStartExample },
    },
  ],
  problems: ['job_not_found', ...databaseProblems],
  async handle({ params }, { queue }) {
    const start = await queue.expectedStart(params.id)
    if (start === undefined) throw jobNotFound()
    return { status: 200, json: encodeExpectedStart(start) }
  },
})
