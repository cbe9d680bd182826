import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { viewOf } from '../../kinds/job-view.ts'
import {
  deadLetterExample,
  deadLetterIdParameters,
  deadLetterSchema,
  encodeDeadLetter,
} from './dead-letter.ts'

export const getDeadLetter = defineOperation({
  operationId: 'getDeadLetter',
  method: 'get',
  path: '/dead-letters/{id}',
  tag: 'Dead letters',
  permission: 'dead_letters:read',
  summary: 'Get a dead letter',
  description:
    'Returns the job as it was when it failed for the last time, with the history of its attempts.',
  params: deadLetterIdParameters,
  successes: [
    {
      status: 200,
      description: 'The dead letter.',
      content: { mediaType: 'application/json', schema: deadLetterSchema, example: deadLetterExample },
    },
  ],
  problems: ['dead_letter_not_found', ...databaseProblems],
  async handle({ params, context }, services) {
    const deadLetter = await services.queue.deadLetters.get(params.id)
    if (deadLetter === undefined) {
      throw new Problem('dead_letter_not_found')
    }
    return { status: 200, json: encodeDeadLetter(deadLetter, await viewOf(context, services)) }
  },
})
