import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { kindParameters } from '../wire/kind.ts'

export const retireKind = defineOperation({
  operationId: 'retireKind',
  method: 'delete',
  path: '/kinds/{kind}',
  tag: 'Kinds',
  permission: 'kinds:write',
  act: 'kind.retire',
  summary: 'Retire a kind of job',
  description:
    'No further jobs of its registered versions are taken; those that are there run on. A worker that registers it again ' +
    'does not bring it back: POST /kinds with `restore` does. Retiring a retired kind changes nothing.',
  params: kindParameters,
  successes: [{ status: 204, description: 'The kind is retired.' }],
  problems: ['kind_not_found', 'refused', ...databaseProblems],
  async handle({ params, context, raw }, { queue, kinds }) {
    await queue.actAs(actorOf({ context, raw })).kinds.retire(params.kind)
    kinds.expire()
    return { status: 204 }
  },
})
