import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../http/principal.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../wire/job.ts'

export const requeueJob = defineOperation({
  operationId: 'requeueJob',
  method: 'post',
  path: '/jobs/{id}/requeue',
  tag: 'Jobs',
  permission: 'jobs:control',
  summary: 'Run a failed or cancelled job again',
  description: 'The job is queued and due now, with all its attempts before it; its dead letter is deleted.',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The job is queued.',
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: ['job_not_found', 'invalid_transition', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    const job = await queue.requeue(params.id)
    context.control = { job_id: job.id }
    return { status: 200, json: encodeJob(job, viewOf(context)) }
  },
})
