import { defineOperation } from '../http/operation.ts'
import { everybody } from '../http/principal.ts'
import { encodeMe, meExample, meSchema } from '../wire/me.ts'

export const getMe = defineOperation({
  operationId: 'getMe',
  method: 'get',
  path: '/me',
  tag: 'Keys',
  permission: 'any',
  summary: 'Who asks, and what they may do',
  description: 'The key of this request, its permissions, and its bounds. It tells nothing of anybody else.',
  successes: [
    {
      status: 200,
      description: 'The caller.',
      content: { mediaType: 'application/json', schema: meSchema, example: meExample },
    },
  ],
  problems: [],
  handle: ({ context }) => ({ status: 200, json: encodeMe(context.principal ?? everybody) }),
})
