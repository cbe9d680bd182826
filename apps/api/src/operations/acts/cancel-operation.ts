import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeOperation, operationExample, operationIdParameters, operationSchema } from './operation.ts'

export const cancelOperation = defineOperation({
  operationId: 'cancelOperation',
  method: 'post',
  path: '/operations/{id}/cancel',
  tag: 'Operations',
  permission: 'jobs:control',
  act: 'operation.cancel',
  summary: 'Cancel an operation',
  description:
    'Stops an operation. After the response, it changes no more jobs; jobs that it has already changed stay changed. ' +
    'An operation that has ended is returned as it is.',
  params: operationIdParameters,
  successes: [
    {
      status: 200,
      description: 'The operation.',
      content: {
        mediaType: 'application/json',
        schema: operationSchema,
        example: { ...operationExample, state: 'cancelled', finished_at: '2026-01-15T09:31:00.000Z' },
      },
    },
  ],
  problems: ['operation_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    const { many } = queue.actAs(actorOf(context))
    return { status: 200, json: encodeOperation(await many.cancelOperation(params.id)) }
  },
})
