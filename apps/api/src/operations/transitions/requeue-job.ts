import { limits } from '@queue/core'
import { jobFields } from '@queue/core/internal'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { instantFilter } from '../../wire/list-query.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../reads/job.ts'

export const requeueJob = defineOperation({
  operationId: 'requeueJob',
  method: 'post',
  path: '/jobs/{id}/requeue',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.requeue',
  summary: 'Requeue a failed or cancelled job',
  description:
    'Queues the job again with a fresh set of attempts, due now, and deletes its dead letter. If the expiry of the ' +
    'job has passed, send a later one.',
  params: jobIdParameters,
  query: z.strictObject({
    expires_at: instantFilter(
      'New expiry: the job is cancelled if it has not started by this time. Cannot be combined with expires_in_ms.',
    ),
    expires_in_ms: z
      .string()
      .regex(/^\d{1,12}$/, 'must be a whole number')
      .transform(Number)
      .pipe(jobFields.expiresInMs)
      .optional()
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: limits.delayMsMax,
        description: 'New expiry, in milliseconds from now. Cannot be combined with expires_at.',
      }),
  }),
  successes: [
    {
      status: 200,
      description: 'The job was requeued.',
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: [
    'job_not_found',
    'invalid_transition',
    'unique_conflict',
    'unique_key_locked',
    'invalid_job',
    'refused',
    ...databaseProblems,
  ],
  async handle({ params, query, context }, services) {
    // Read the view first: nothing may fail after the requeue.
    const view = await viewOf(context, services)
    const job = await services.queue.actAs(actorOf(context)).requeue(params.id, {
      expiresAt: query.expires_at,
      expiresInMs: query.expires_in_ms,
    })
    return { status: 200, json: encodeJob(job, view) }
  },
})
