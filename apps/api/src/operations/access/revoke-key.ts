import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { keyExample } from './key.ts'

export const revokeKey = defineOperation({
  operationId: 'revokeKey',
  method: 'delete',
  path: '/keys/{id}',
  tag: 'Keys',
  permission: 'keys:revoke',
  act: 'key.revoke',
  summary: 'Revoke an API key',
  description:
    'Every API process refuses the key within a second. A revocation cannot be undone. The key stays in the list. ' +
    'Revoking a revoked key has no effect.',
  params: z.object({ id: z.string().meta({ description: 'Id of the key.', example: keyExample.id }) }),
  successes: [{ status: 204, description: 'The key was revoked.' }],
  problems: ['key_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue }) {
    await queue.actAs(actorOf(context)).keys.revoke(params.id)
    return { status: 204 }
  },
})
