import { limits } from '@queue/core'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { attentionExample, attentionListSchema, encodeAttention } from './attention.ts'

export const getAttention = defineOperation({
  operationId: 'getAttention',
  method: 'get',
  path: '/attention',
  tag: 'Queues',
  permission: 'ops:read',
  load: 'heavy',
  summary: 'List what needs attention',
  description:
    'Lists the alert conditions that can be read from the database and are active now: the most severe first, then ' +
    `the oldest. Each has its start, a count up to ${limits.attentionCountMax} and a fix. Rejected completions, ` +
    'stuck handlers, blocked event loops and exhausted pools are known only to their process. Watch its metrics for ' +
    'those.',
  successes: [
    {
      status: 200,
      description: 'The active conditions. An empty list means that nothing was found.',
      content: { mediaType: 'application/json', schema: attentionListSchema, example: attentionExample },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { queue }) {
    return { status: 200, json: { data: (await queue.attention()).map(encodeAttention) } }
  },
})
