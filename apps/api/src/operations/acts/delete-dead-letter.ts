import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { deadLetterIdParameters } from '../reads/dead-letter.ts'

export const deleteDeadLetter = defineOperation({
  operationId: 'deleteDeadLetter',
  method: 'delete',
  path: '/dead-letters/{id}',
  tag: 'Dead letters',
  permission: 'dead_letters:delete',
  act: 'dead_letter.delete',
  summary: 'Delete a dead letter',
  description: 'Deletes the dead letter. Its job is kept, with the status `failed_permanent`.',
  params: deadLetterIdParameters,
  successes: [{ status: 204, description: 'The dead letter was deleted.' }],
  problems: ['dead_letter_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    await queue.actAs(actorOf(context)).deadLetters.delete(params.id)
    return { status: 204 }
  },
})
