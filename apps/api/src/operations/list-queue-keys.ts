import { limits } from '@queue/core'
import { z } from 'zod'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { limitQuery } from '../wire/list-query.ts'
import { encodeQueueKey, queueKeyExample, queueKeySchema } from '../wire/queue-key.ts'
import { queueNameParameters } from '../wire/queue.ts'

const queueKeyListSchema = z
  .object({
    data: z.array(queueKeySchema),
    is_complete: z.boolean().meta({
      description:
        'Whether all jobs with a key that wait were counted. Else a key with few jobs may be missing.',
    }),
  })
  .meta({ id: 'QueueKeyList' })

export const listQueueKeys = defineOperation({
  operationId: 'listQueueKeys',
  method: 'get',
  path: '/queues/{name}/keys',
  tag: 'Queues',
  permission: 'jobs:read',
  summary: 'List the keys of a queue with the most waiting jobs',
  description:
    'Which customers, accounts or whatever else the keys of jobs stand for have the most jobs that wait, and whether a limit of the ' +
    `key holds them. Up to ${limits.queueKeysReadMax} jobs that wait are counted. Of a queue with more, a sample of the table ` +
    `finds the keys, and each is counted to ${limits.queueKeyCountMax}; a tenant's are found in the first ` +
    `${limits.queueKeysReadMax}. So the answer takes as long with ten million jobs. A queue that is not there has no keys.`,
  params: queueNameParameters,
  query: z.strictObject({
    limit: limitQuery({
      max: limits.queueKeysMax,
      usual: limits.queueKeysDefault,
      description: 'How many keys are wanted.',
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
  async handle({ params, query, context }, { queue }) {
    const showsKey = context.principal?.permissions.has('payload:read') ?? false
    const { keys, isComplete } = await queue.queueKeys(params.name, query)
    const data = keys.map((one) => encodeQueueKey(one, { showsKey }))
    return { status: 200, json: { data, is_complete: isComplete } }
  },
})
