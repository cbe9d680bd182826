import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../reads/job.ts'

export const duplicateJob = defineOperation({
  operationId: 'duplicateJob',
  method: 'post',
  path: '/jobs/{id}/duplicate',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.duplicate',
  summary: 'Duplicate a job',
  description:
    'Enqueues a new job with the same kind, payload, queue, tenant and options. The new job has no idempotency key ' +
    'and no unique key, and is due immediately. A receipt (a job whose payload retention has removed) cannot be ' +
    'duplicated.',
  params: jobIdParameters,
  successes: [
    {
      status: 201,
      description: 'The new job.',
      headers: { Location: 'Path of the new job.' },
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: [
    'job_not_found',
    'invalid_transition',
    'refused',
    'queue_full',
    'enqueue_too_old',
    ...databaseProblems,
  ],
  async handle({ params, context }, services) {
    const view = await viewOf(context, services)
    const job = await services.queue.actAs(actorOf(context)).duplicate(params.id)
    return { status: 201, headers: { location: `/jobs/${job.id}` }, json: encodeJob(job, view) }
  },
})
