import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { nextCursor, pageQuery } from '../../wire/list-query.ts'
import { encodeQueue, queueExample, queueSchema } from './queue.ts'

const queueListSchema = z
  .object({
    data: z.array(queueSchema).meta({ description: 'The queues, sorted by name.' }),
    next_cursor: nextCursor,
  })
  .meta({ id: 'QueueList', description: 'A page of queues.' })

export const listQueues = defineOperation({
  operationId: 'listQueues',
  method: 'get',
  path: '/queues',
  tag: 'Queues',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'List queues',
  description:
    'Returns every queue that a worker has served or that has unfinished jobs, sorted by name. Each has its jobs by ' +
    'state, the number of due jobs, the age of the oldest due job and its live workers. A page reads only the ' +
    'unfinished jobs of its queues.',
  query: z.strictObject(pageQuery),
  successes: [
    {
      status: 200,
      description: 'A page of queues.',
      content: {
        mediaType: 'application/json',
        schema: queueListSchema,
        example: { data: [queueExample], next_cursor: null },
      },
    },
  ],
  problems: ['invalid_cursor', ...databaseProblems],
  async handle({ query }, { queue }) {
    const { queues, nextCursor: next } = await queue.listQueues(query)
    return { status: 200, json: { data: queues.map(encodeQueue), next_cursor: next } }
  },
})
