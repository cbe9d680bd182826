import { limits } from '@queue/core'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { jobNotFound } from '../reads/get-job.ts'
import { jobIdParameters } from '../reads/job.ts'
import { encodeWhy, whyExample, whySchema } from './why.ts'

export const getWhy = defineOperation({
  operationId: 'getWhy',
  method: 'get',
  path: '/jobs/{id}/why',
  tag: 'Jobs',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'Explain why a job does not start',
  description:
    'Returns each reason with its fix. Blocking reasons are conditions of the claim statement itself. If there is ' +
    `none, some live worker can claim the job, and \`start\` has its position (counted up to ${limits.placeMax}) and ` +
    'its estimated start.',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description:
        'The reasons. If the list is empty or no reason is blocking, the job starts when a worker reaches it.',
      content: { mediaType: 'application/json', schema: whySchema, example: whyExample },
    },
  ],
  problems: ['job_not_found', ...databaseProblems],
  async handle({ params }, { queue }) {
    const why = await queue.why(params.id)
    if (why === undefined) throw jobNotFound()
    return { status: 200, json: encodeWhy(why) }
  },
})
