import { limits } from '@queue/core'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { jobIdParameters } from '../wire/job.ts'
import { encodeWhy, whyExample, whySchema } from '../wire/why.ts'
import { jobNotFound } from './get-job.ts'

export const getWhy = defineOperation({
  operationId: 'getWhy',
  method: 'get',
  path: '/jobs/{id}/why',
  tag: 'Jobs',
  permission: 'jobs:read',
  summary: 'Why does a job not start?',
  description:
    'Each reason with what would end it. Those that block are conditions of the claim itself: nothing blocks a job exactly when a ' +
    'claim of some live worker that takes whatever it may would take it. Then start tells its place, counted up to ' +
    `${limits.placeMax}, and when it begins as far as that is known.`,
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The reasons; none, or none that blocks, where it is only not its turn yet.',
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
