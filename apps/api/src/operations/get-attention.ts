import { limits } from '@queue/core'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { attentionExample, attentionListSchema, encodeAttention } from '../wire/attention.ts'

export const getAttention = defineOperation({
  operationId: 'getAttention',
  method: 'get',
  path: '/attention',
  tag: 'Queues',
  permission: 'ops:read',
  summary: 'What needs somebody now',
  description:
    'The conditions of those alerts that the database can be asked for, the worst first, and of those the one that has lasted ' +
    'longest: since when, how many, and what ends each. Ends that the database refuses, stuck handlers, blocked event loops and ' +
    'exhausted pools are known to their processes alone: metrics tell of them. Counts go up to ' +
    `${limits.attentionCountMax}.`,
  successes: [
    {
      status: 200,
      description: 'What there is; nothing is a good sign.',
      content: { mediaType: 'application/json', schema: attentionListSchema, example: attentionExample },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { queue }) {
    return { status: 200, json: { data: (await queue.attention()).map(encodeAttention) } }
  },
})
