import { operationStates } from '@queue/core/internal'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import { encodeOperation, operationExample, operationIdParameters, operationSchema } from './operation.ts'

export const listOperations = defineOperation({
  operationId: 'listOperations',
  method: 'get',
  path: '/operations',
  tag: 'Operations',
  permission: 'jobs:read',
  summary: 'List operations, newest first',
  description:
    'Returns the bulk actions that workers run in batches. A scoped caller sees the operations that were created ' +
    'within its own scope.',
  query: z.strictObject({
    state: z.enum(operationStates).optional().meta({ description: 'Operations in this state.' }),
    ...pageQuery,
  }),
  successes: [
    {
      status: 200,
      description: 'A page of operations.',
      content: {
        mediaType: 'application/json',
        schema: z
          .object({
            data: z.array(operationSchema).meta({ description: 'The operations, newest first.' }),
            next_cursor: nextCursor,
          })
          .meta({ id: 'OperationList', description: 'A page of operations.' }),
        example: { data: [operationExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query }, { queue }) {
    const { operations, nextCursor: next } = await queue.operations.list(query)
    const data = operations.map((operation) => encodeOperation(operation))
    return { status: 200, json: { data, next_cursor: next } }
  },
})

export const getOperation = defineOperation({
  operationId: 'getOperation',
  method: 'get',
  path: '/operations/{id}',
  tag: 'Operations',
  permission: 'jobs:read',
  summary: 'Get an operation',
  description: 'Returns the operation with its progress.',
  params: operationIdParameters,
  successes: [
    {
      status: 200,
      description: 'The operation.',
      content: { mediaType: 'application/json', schema: operationSchema, example: operationExample },
    },
  ],
  problems: ['operation_not_found', ...databaseProblems],
  async handle({ params }, { queue }) {
    const operation = await queue.operations.get(params.id)
    if (operation !== undefined) return { status: 200, json: encodeOperation(operation) }
    throw new Problem('operation_not_found')
  },
})
