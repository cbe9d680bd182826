import { limitFields } from '@queue/core/internal'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import { encodeLimitInUse, limitExample, limitInUseSchema } from './limit.ts'

const limitListSchema = z
  .object({
    data: z.array(limitInUseSchema).meta({ description: 'The limits, sorted by queue, scope and name.' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'LimitList', description: 'A page of limits.' })

export const listLimits = defineOperation({
  operationId: 'listLimits',
  method: 'get',
  path: '/limits',
  tag: 'Queues',
  permission: 'ops:read',
  load: 'heavy',
  summary: 'List limits',
  description:
    'Returns the limits on how many jobs run at a time, how fast they start and how many wait, each with its current ' +
    'use. They are sorted by queue, scope and name.',
  query: z.strictObject({
    queue: limitFields.queue.optional().meta({ description: 'Limits of this queue.' }),
    scope: limitFields.scope.optional().meta({ description: 'Limits with this scope.' }),
    name: limitFields.name
      .optional()
      .meta({ description: 'Limits of the kind, key or tenant with this name.' }),
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
