import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { viewOf } from '../../kinds/job-view.ts'
import { deadLetterIdParameters } from '../reads/dead-letter.ts'
import { encodeJob, jobExample, jobSchema } from '../reads/job.ts'

export const requeueDeadLetter = defineOperation({
  operationId: 'requeueDeadLetter',
  method: 'post',
  path: '/dead-letters/{id}/requeue',
  tag: 'Dead letters',
  permission: 'dead_letters:requeue',
  act: 'dead_letter.requeue',
  summary: 'Requeue a dead letter',
  description:
    'Queues the job again with a fresh set of attempts, due now, and deletes the dead letter in the same ' +
    'transaction. A job that retention has removed meanwhile is recreated under its own id.',
  params: deadLetterIdParameters,
  successes: [
    {
      status: 200,
      description: 'The job was requeued.',
      content: { mediaType: 'application/json', schema: jobSchema, example: jobExample },
    },
  ],
  problems: ['dead_letter_not_found', 'unique_conflict', 'unique_key_locked', 'refused', ...databaseProblems],
  async handle({ params, context }, services) {
    // Read the view first: nothing may fail after the requeue.
    const view = await viewOf(context, services)
    const job = await services.queue.actAs(actorOf(context)).deadLetters.requeue(params.id)
    return { status: 200, json: encodeJob(job, view) }
  },
})
