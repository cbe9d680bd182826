import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { viewOf } from '../kinds/job-view.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../wire/job.ts'

export const requeueJob = defineOperation({
  operationId: 'requeueJob',
  method: 'post',
  path: '/jobs/{id}/requeue',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.requeue',
  summary: 'Requeue a failed or cancelled job',
  description: 'Queues the job with all its attempts, due now, and deletes its dead letter.',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The job is queued.',
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: ['job_not_found', 'invalid_transition', 'refused', ...databaseProblems],
  async handle({ params, context, raw }, services) {
    // Read first: once it has acted, nothing may fail.
    const view = await viewOf(context, services)
    const job = await services.queue.actAs(actorOf({ context, raw })).requeue(params.id)
    return { status: 200, json: encodeJob(job, view) }
  },
})
