import { z } from 'zod'
import { defineOperation } from '../http/operation.ts'
import { databaseProblems } from '../http/problems-of.ts'
import { encodeQueue, queueExample, queueSchema } from '../wire/queue.ts'

const queueListSchema = z.object({ data: z.array(queueSchema) }).meta({ id: 'QueueList' })

export const listQueues = defineOperation({
  operationId: 'listQueues',
  method: 'get',
  path: '/queues',
  tag: 'Queues',
  access: 'token',
  summary: 'List the queues',
  description:
    'Every queue that a worker has served or that has live jobs, by name, with its depth by state, the age of its ' +
    'oldest ready job, and its live workers. Reads the live jobs, and nothing of the history.',
  successes: [
    {
      status: 200,
      description: 'The queues.',
      content: {
        mediaType: 'application/json',
        schema: queueListSchema,
        example: { data: [queueExample] },
      },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { queue }) {
    return { status: 200, json: { data: (await queue.queues()).map(encodeQueue) } }
  },
})
