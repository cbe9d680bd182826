import { defineOperation } from '../../http/operation.ts'
import { anonymous } from '../../http/principal.ts'
import { encodeMe, meExample, meSchema } from './me.ts'

export const getMe = defineOperation({
  operationId: 'getMe',
  method: 'get',
  path: '/me',
  tag: 'Keys',
  permission: 'any',
  load: 'none',
  summary: 'Get the caller',
  description: 'Returns the credential of this request, its permissions and its scope.',
  successes: [
    {
      status: 200,
      description: 'The caller.',
      content: { mediaType: 'application/json', schema: meSchema, example: meExample },
    },
  ],
  problems: [],
  handle: ({ context }) => ({ status: 200, json: encodeMe(context.principal ?? anonymous) }),
})
