import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeKey, keyExample, keySchema } from './key.ts'

const keyListSchema = z
  .object({ data: z.array(keySchema).meta({ description: 'The API keys, newest first.' }) })
  .meta({ id: 'KeyList', description: 'All API keys.' })

export const listKeys = defineOperation({
  operationId: 'listKeys',
  method: 'get',
  path: '/keys',
  tag: 'Keys',
  permission: 'keys:read',
  summary: 'List API keys',
  description:
    'Returns every API key that was ever created, newest first, including revoked and expired keys. Secrets are ' +
    'never returned. Create a key with `queue keys create`.',
  successes: [
    {
      status: 200,
      description: 'The API keys.',
      content: { mediaType: 'application/json', schema: keyListSchema, example: { data: [keyExample] } },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { queue }) {
    return { status: 200, json: { data: (await queue.keys.list()).map(encodeKey) } }
  },
})
