import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { limitQuery } from '../../wire/list-query.ts'
import { encodeQueueKey, queueKeyExample, queueKeySchema } from './queue-key.ts'
import { queueNameParameters } from './queue.ts'

const queueKeyListSchema = z
  .object({
    data: z.array(queueKeySchema).meta({ description: 'The keys, those with the most waiting jobs first.' }),
    is_complete: z.boolean().meta({
      description:
        'Whether all waiting jobs that have a key were counted. If false, keys with few jobs can be missing.',
    }),
  })
  .meta({ id: 'QueueKeyList', description: 'The keys of a queue.' })

export const listQueueKeys = defineOperation({
  operationId: 'listQueueKeys',
  method: 'get',
  path: '/queues/{name}/keys',
  tag: 'Queues',
  permission: 'jobs:read',
  load: 'heavy',
  summary: 'List the keys of a queue',
  description:
    'Returns the job keys (such as customers or accounts) with the most waiting jobs in a queue, and whether limits ' +
    `on the key hold these jobs back. Up to ${limits.queueKeysReadMax} waiting jobs are counted. In a larger queue, ` +
    `keys are found in a sample of the table and each is counted up to ${limits.queueKeyCountMax}; keys of a tenant ` +
    `are found in its first ${limits.queueKeysReadMax} waiting jobs. The response time therefore does not grow with ` +
    'the queue. A queue that does not exist has no keys.',
  params: queueNameParameters,
  query: z.strictObject({
    limit: limitQuery({
      max: limits.queueKeysMax,
      default: limits.queueKeysDefault,
      description: 'Maximum number of keys to return.',
    }),
  }),
  successes: [
    {
      status: 200,
      description: 'The keys, those with the most waiting jobs first.',
      content: {
        mediaType: 'application/json',
        schema: queueKeyListSchema,
        example: { data: [queueKeyExample], is_complete: false },
      },
    },
  ],
  problems: databaseProblems,
  async handle({ params, query }, { queue }) {
    const { keys, isComplete } = await queue.queueKeys(params.name, query)
    const data = keys.map(encodeQueueKey)
    return { status: 200, json: { data, is_complete: isComplete } }
  },
})
