import { type InputIssue, InvalidInput, KindConflictError, type KindRegistration } from '@queue/core'
import { decodeRegistration, describeConflict, registerKindsSchema } from '@queue/core/internal'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { issuesProblem, toIssues } from '../../http/problem.ts'
import { findSchemaFaults } from '../../kinds/compile-schema.ts'
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
    const registrations = body.kinds.map(decodeRegistration)
    const pause = turns.pauses(context)
    const issues: InputIssue[] = []
    for (const [index, { payloadSchema }] of registrations.entries()) {
      await pause()
      for (const { path, message } of findSchemaFaults(payloadSchema))
        issues.push({ path: ['kinds', index, 'payload_schema', ...path], message })
    }
    await pause()
    if (issues.length > 0) throw issuesProblem('invalid_kind', toIssues(issues))
    const { type, id } = context.principal?.who ?? { type: 'anyone', id: 'anyone' }
    const by = type === 'key' || type === 'subject' ? `${type} ${id}` : 'api'
    const policy = { by, changes: kindChanges, restore: body.restore ?? false } as const
    const { kinds: kindActs } = queue.actAs(actorOf(context))
    const registered = await kindActs.register(registrations, policy).catch((error: unknown) => {
      throw toRegistrationProblem(error, registrations)
    })
    kinds.expire()
    return { status: 200, json: { data: registered.map(encodeRegistered) } }
  },
})

function toRegistrationProblem(error: unknown, registrations: readonly KindRegistration[]): unknown {
  if (error instanceof KindConflictError) {
    const issues = error.conflicts.map((conflict) => {
      const isConflicting = (registration: KindRegistration) =>
        registration.kind === conflict.kind && registration.version === conflict.version
      const path = ['kinds', registrations.findIndex(isConflicting), 'payload_schema']
      return { path, message: describeConflict(conflict) }
    })
    return issuesProblem('kind_conflict', toIssues(issues), error)
  }
  if (!(error instanceof InvalidInput)) return error
  const issues = error.issues.map(({ path: [index, member, ...rest], message }) => {
    const name = member === 'payloadSchema' ? 'payload_schema' : member
    return { path: ['kinds', index, name, ...rest].filter((part) => part !== undefined), message }
  })
  return issuesProblem('invalid_kind', toIssues(issues), error)
}
