import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import {
  decodeLimitRule,
  encodeLimit,
  limitExample,
  limitSchema,
  limitTargetQuery,
  setLimitSchema,
} from '../wire/limit.ts'

export const setLimit = defineOperation({
  operationId: 'setLimit',
  method: 'put',
  path: '/limits',
  tag: 'Queues',
  permission: 'limits:write',
  act: 'limit.set',
  summary: 'Set a limit',
  description:
    'Sets what holds for a queue, a kind in it or its keys, in place of what held before. After the answer no worker ' +
    'starts a job beyond it. Jobs that run already count, and go on even if they are more than the limit allows.',
  body: {
    schema: setLimitSchema,
    refusedAs: 'invalid_limit',
    description: 'The limit.',
    examples: {
      customers: {
        summary: 'Five jobs of each customer at a time',
        value: { queue: 'default', scope: 'each_key', max_running: 5 },
      },
      order: {
        summary: 'The jobs of each account one after the other',
        value: { queue: 'default', scope: 'each_key', ordered: { on_retry: 'block' } },
      },
      calls: {
        summary: 'A hundred calls of an API a minute',
        value: {
          queue: 'default',
          scope: 'kind',
          name: 'webhook_delivery',
          rate: { count: 100, per_ms: 60_000, burst: 10 },
        },
      },
    },
  },
  successes: [
    {
      status: 200,
      description: 'The limit holds.',
      content: { mediaType: 'application/json', schema: limitSchema, example: limitExample },
    },
  ],
  problems: ['refused', ...databaseProblems],
  async handle({ body, context, raw }, { queue }) {
    const limit = await queue.actAs(actorOf({ context, raw })).limits.set(decodeLimitRule(body))
    return { status: 200, json: encodeLimit(limit) }
  },
})

export const deleteLimit = defineOperation({
  operationId: 'deleteLimit',
  method: 'delete',
  path: '/limits',
  tag: 'Queues',
  permission: 'limits:write',
  act: 'limit.delete',
  summary: 'Delete a limit',
  description: 'What it held back may start.',
  query: limitTargetQuery,
  successes: [{ status: 204, description: 'The limit is gone.' }],
  problems: ['invalid_limit', 'limit_not_found', 'refused', ...databaseProblems],
  async handle({ query, context, raw }, { queue }) {
    await queue.actAs(actorOf({ context, raw })).limits.delete(query)
    return { status: 204 }
  },
})
