import { actorOf } from '../http/actor.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import {
  changeLimitSchema,
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
    'Replaces the limit of a queue, of a kind in it, or of its keys or tenants. After the response, no worker starts ' +
    'a job beyond the limit. Running jobs count toward it, and continue even if they exceed it.',
  body: {
    schema: setLimitSchema,
    refusedAs: 'invalid_limit',
    description: 'The limit to set.',
    examples: {
      customers: {
        summary: 'Five running jobs for each customer',
        value: { queue: 'default', scope: 'each_key', max_running: 5 },
      },
      order: {
        summary: 'The jobs of each account in order',
        value: { queue: 'default', scope: 'each_key', ordered: { on_retry: 'block' } },
      },
      calls: {
        summary: '100 API calls a minute',
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
      description: 'The limit.',
      content: { mediaType: 'application/json', schema: limitSchema, example: limitExample },
    },
  ],
  problems: ['refused', ...databaseProblems],
  async handle({ body, context, raw }, { queue }) {
    const limit = await queue.actAs(actorOf({ context, raw })).limits.set(decodeLimitRule(body))
    return { status: 200, json: encodeLimit(limit) }
  },
})

export const changeLimit = defineOperation({
  operationId: 'changeLimit',
  method: 'patch',
  path: '/limits',
  tag: 'Queues',
  permission: 'limits:write',
  act: 'limit.set',
  summary: 'Change a limit',
  description:
    'Changes the members of a limit that are sent. Absent members stay; null removes a value. A limit that does not exist ' +
    'is set. A limit of which the change leaves nothing is deleted; the response then has no value that limits anything.',
  body: {
    schema: changeLimitSchema,
    refusedAs: 'invalid_limit',
    description: 'The target of the limit, and the changes.',
    examples: {
      pause: {
        summary: 'Pause a key, and keep its other limits',
        value: { queue: 'default', scope: 'key', name: 'acme', paused: true },
      },
    },
  },
  successes: [
    {
      status: 200,
      description: 'The changed limit.',
      content: { mediaType: 'application/json', schema: limitSchema, example: limitExample },
    },
  ],
  problems: ['refused', ...databaseProblems],
  async handle({ body, context, raw }, { queue }) {
    const limit = await queue.actAs(actorOf({ context, raw })).limits.change(decodeLimitRule(body))
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
  description: 'Deletes a limit. Jobs that it held back can start.',
  query: limitTargetQuery,
  successes: [{ status: 204, description: 'The limit was deleted.' }],
  problems: ['invalid_limit', 'limit_not_found', 'refused', ...databaseProblems],
  async handle({ query, context, raw }, { queue }) {
    await queue.actAs(actorOf({ context, raw })).limits.delete(query)
    return { status: 204 }
  },
})
