import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { encodeKey, keyExample, keySchema } from '../wire/key.ts'

const keyListSchema = z.object({ data: z.array(keySchema) }).meta({ id: 'KeyList' })

export const listKeys = defineOperation({
  operationId: 'listKeys',
  method: 'get',
  path: '/keys',
  tag: 'Keys',
  permission: 'keys:read',
  summary: 'List the keys of the API',
  description:
    'Every key that was ever made, the newest first, without its secret. Keys are made by `migrate keys create`.',
  successes: [
    {
      status: 200,
      description: 'The keys.',
      content: { mediaType: 'application/json', schema: keyListSchema, example: { data: [keyExample] } },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { queue }) {
    return { status: 200, json: { data: (await queue.keys.list()).map(encodeKey) } }
  },
})
