import { limits } from '@queue/core'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { encodeExpectedStart, expectedStartExample, expectedStartSchema } from '../wire/expected-start.ts'
import { jobIdParameters } from '../wire/job.ts'
import { jobNotFound } from './get-job.ts'

export const getExpectedStart = defineOperation({
  operationId: 'getExpectedStart',
  method: 'get',
  path: '/jobs/{id}/expected-start',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'When does a waiting job begin?',
  description:
    'Its place in its queue, and when it will begin at the rate of the last five minutes. Only minutes tell in which jobs had ' +
    'to wait for a slot: the starts of others say how many jobs came, and not how many could have begun. Where nobody can say, ' +
    `expected_at is null, and unknown says why. Up to ${limits.placeMax} jobs before it are counted, those of kinds that no ` +
    'worker runs among them.',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'What the last minutes tell.',
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
