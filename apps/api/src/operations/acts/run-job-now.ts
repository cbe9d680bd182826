import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { encodeJob, jobExample, jobIdParameters, jobSchema } from '../reads/job.ts'

export const runJobNow = defineOperation({
  operationId: 'runJobNow',
  method: 'post',
  path: '/jobs/{id}/run-now',
  tag: 'Jobs',
  permission: 'jobs:control',
  act: 'job.run_now',
  summary: 'Run a waiting job now',
  description:
    'Makes the job due immediately. It starts as soon as a worker is free. Only a waiting job can be run now (409 ' +
    'otherwise).',
  params: jobIdParameters,
  successes: [
    {
      status: 200,
      description: 'The job is due.',
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: ['job_not_found', 'invalid_transition', 'refused', ...databaseProblems],
  async handle({ params, context }, services) {
    const view = await viewOf(context, services)
    const job = await services.queue.actAs(actorOf(context)).runNow(params.id)
    return { status: 200, json: encodeJob(job, view) }
  },
})
