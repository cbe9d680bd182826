import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { encodeLimitInUse, limitExample, limitInUseSchema } from '../wire/limit.ts'
import { nextCursor, pageQuery } from '../wire/list-query.ts'
import { limitFields } from '@queue/core/fields'

const limitListSchema = z
  .object({ data: z.array(limitInUseSchema), next_cursor: nextCursor })
  .meta({ id: 'LimitList' })

export const listLimits = defineOperation({
  operationId: 'listLimits',
  method: 'get',
  path: '/limits',
  tag: 'Queues',
  permission: 'ops:read',
  summary: 'List the limits',
  description:
    'What limits how many jobs run at a time and how fast they start, by queue, scope and name, and how far each is used.',
  query: z.strictObject({
    queue: limitFields.queue.optional().meta({ description: 'Those of this queue.' }),
    scope: limitFields.scope.optional().meta({ description: 'Those of this scope.' }),
    name: limitFields.name
      .optional()
      .meta({ description: 'Those of the kind, the key or the tenant of this name.' }),
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of limits.',
      content: {
        mediaType: 'application/json',
        schema: limitListSchema,
        example: { data: [{ ...limitExample, running: null }], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query }, { queue }) {
    const { limits, nextCursor: next } = await queue.limits.list(query)
    return { status: 200, json: { data: limits.map(encodeLimitInUse), next_cursor: next } }
  },
})
