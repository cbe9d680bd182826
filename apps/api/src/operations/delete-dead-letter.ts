import { databaseProblems, defineOperation } from '../http/operation.ts'
import { deadLetterIdParameters } from '../wire/dead-letter.ts'

export const deleteDeadLetter = defineOperation({
  operationId: 'deleteDeadLetter',
  method: 'delete',
  path: '/dead-letters/{id}',
  tag: 'Dead letters',
  permission: 'dead_letters:delete',
  summary: 'Delete a dead letter',
  description: 'Deletes only the dead letter. Its job stays failed_permanent.',
  params: deadLetterIdParameters,
  successes: [{ status: 204, description: 'The dead letter is deleted.' }],
  problems: ['dead_letter_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    await queue.deadLetters.delete(params.id)
    context.control = { dead_letter_id: params.id }
    return { status: 204 }
  },
})
