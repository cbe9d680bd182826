import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { encodeWorker, workerExample, workerSchema } from './worker.ts'

const workerListSchema = z
  .object({
    data: z.array(workerSchema).meta({ description: 'The workers: active ones first, then newest first.' }),
  })
  .meta({ id: 'WorkerList', description: 'The workers of the last hour.' })

export const listWorkers = defineOperation({
  operationId: 'listWorkers',
  method: 'get',
  path: '/workers',
  tag: 'Workers',
  permission: 'ops:read',
  summary: 'List workers',
  description: 'Returns the worker processes of the last hour: active ones first, then the newest first.',
  successes: [
    {
      status: 200,
      description: 'The workers.',
      content: {
        mediaType: 'application/json',
        schema: workerListSchema,
        example: { data: [workerExample] },
      },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { queue }) {
    return { status: 200, json: { data: (await queue.workers()).map(encodeWorker) } }
  },
})
