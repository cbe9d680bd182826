import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { nextCursor, pageQuery } from '../wire/list-query.ts'
import { encodeQueue, queueExample, queueSchema } from '../wire/queue.ts'

const queueListSchema = z
  .object({ data: z.array(queueSchema), next_cursor: nextCursor })
  .meta({ id: 'QueueList' })

export const listQueues = defineOperation({
  operationId: 'listQueues',
  method: 'get',
  path: '/queues',
  tag: 'Queues',
  permission: 'jobs:read',
  summary: 'List the queues',
  description:
    'Every queue that a worker has served or that has live jobs, by name, with its depth by state, how many of its jobs are due, the age of ' +
    'the oldest of these, and its live workers. A page reads the live jobs of its own queues, and nothing of the history.',
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
