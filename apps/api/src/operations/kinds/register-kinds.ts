import { registerDocument } from '@queue/admin/payload-schemas'
import { registerKindsSchema } from '@queue/core/internal'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeRegistered, registerKindExample, registeredKindsSchema } from './kind.ts'

export const registerKinds = defineOperation({
  operationId: 'registerKinds',
  method: 'post',
  path: '/kinds',
  tag: 'Kinds',
  permission: 'kinds:write',
  act: 'kind.register',
  summary: 'Register job kinds',
  description:
    'Registers all kind versions, or none. Jobs of these kinds are accepted immediately. Workers register the kinds ' +
    'of their handlers themselves. Registering a different schema for an existing version replaces it; with ' +
    '`KIND_CHANGES=refuse`, it fails with 409 while jobs of that version exist. Patterns are matched in linear time, ' +
    'so lookaround and backreferences are refused.',
  body: {
    schema: registerKindsSchema,
    refusedAs: 'invalid_kind',
    description: 'The kind versions to register.',
    examples: { one: { summary: 'Register one kind', value: { kinds: [registerKindExample] } } },
  },
  successes: [
    {
      status: 200,
      description: 'The outcome of each registration, in the order of the request.',
      content: {
        mediaType: 'application/json',
        schema: registeredKindsSchema,
        example: { data: [{ kind: 'send_invoice', version: 1, outcome: 'new', changed_paths: [] }] },
      },
    },
  ],
  problems: ['kind_conflict', 'refused', ...databaseProblems],
  async handle({ body, context }, { queue, kinds, kindChanges, turns }) {
    const { type, id } = context.principal?.who ?? { type: 'anyone', id: 'anyone' }
    const by = type === 'key' || type === 'subject' ? `${type} ${id}` : 'api'
    const policy = { by, changes: kindChanges, restore: body.restore ?? false } as const
    const { kinds: kindActs } = queue.actAs(actorOf(context))
    const registered = await registerDocument({
      document: body,
      register: (registrations) => kindActs.register(registrations, policy),
      pause: turns.pauses(context),
    })
    kinds.expire()
    return { status: 200, json: { data: registered.map(encodeRegistered) } }
  },
})
