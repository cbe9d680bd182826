import { setTimeout } from 'node:timers/promises'
import { actorOf } from '../../http/actor.ts'
import { kindRetirementMs } from '../../http/limits.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { kindParameters } from './kind.ts'

export const retireKind = defineOperation({
  operationId: 'retireKind',
  method: 'delete',
  path: '/kinds/{kind}',
  tag: 'Kinds',
  permission: 'kinds:write',
  act: 'kind.retire',
  summary: 'Retire a job kind',
  description:
    'No more jobs of the registered versions are accepted; existing jobs still run. A worker that registers the kind ' +
    'again does not bring it back: send POST /kinds with `restore` for that. Retiring a retired kind has no effect.',
  params: kindParameters,
  successes: [{ status: 204, description: 'The kind was retired.' }],
  problems: ['kind_not_found', 'refused', ...databaseProblems],
  async handle({ params, context }, { queue, kinds }) {
    await queue.actAs(actorOf(context)).kinds.retire(params.kind)
    kinds.expire()
    // The other processes hear of it by a notification, which no commit waits for.
    await setTimeout(kindRetirementMs)
    return { status: 204 }
  },
})
