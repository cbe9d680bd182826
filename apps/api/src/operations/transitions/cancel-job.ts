import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../reads/job.ts'

export const cancelJob = defineOperation({
  operationId: 'cancelJob',
  method: 'post',
  path: '/jobs/{id}/cancel',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.cancel',
  summary: 'Cancel a job',
  description:
    'Cancels a waiting job immediately (200). For a running job, the cancellation is requested (202), and the ' +
    'handler stops at its next safe point. If the handler finishes first, its real outcome is recorded. A job that ' +
    'has ended cannot be cancelled (409).',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The job was cancelled.',
      content: {
        mediaType: 'application/json',
        schema: jobSchema,
        example: {
          ...jobExample,
          status: 'cancelled',
          cancel_requested: true,
          updated_at: '2026-01-15T09:31:00.000Z',
          finished_at: '2026-01-15T09:31:00.000Z',
        },
      },
    },
    {
      status: 202,
      description: 'The job is running, and its cancellation was requested.',
      content: {
        mediaType: 'application/json',
        schema: jobSchema,
        example: {
          ...jobExample,
          status: 'running',
          attempts: 1,
          cancel_requested: true,
          locked_at: '2026-01-15T09:30:00.012Z',
          locked_by: 'worker-host-4711-9f3a',
        },
      },
    },
  ],
  problems: ['job_not_found', 'invalid_transition', 'refused', ...databaseProblems],
  async handle({ params, context }, services) {
    // Read the view first: nothing may fail after the cancel.
    const view = await viewOf(context, services)
    const { outcome, job } = await services.queue.actAs(actorOf(context)).cancel(params.id)
    if (outcome === 'already_terminal') {
      throw new Problem('invalid_transition', {
        detail: `job ${job.id} is ${job.status} and cannot be cancelled`,
        members: { job_status: job.status },
      })
    }
    return { status: outcome === 'cancelled' ? 200 : 202, json: encodeJob(job, view) }
  },
})
