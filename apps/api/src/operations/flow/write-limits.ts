import type { LimitOptions } from '@queue/core'
import { z } from 'zod'
import { actorOf } from '../../http/actor.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { Problem } from '../../http/problem.ts'
import {
  type WireLimit,
  changeLimitSchema,
  decodeLimitRule,
  encodeLimit,
  limitExample,
  limitSchema,
  limitTargetQuery,
  setLimitSchema,
} from './limit.ts'

const ifMatch = z
  .string()
  .regex(
    /^(?:W\/)?"[\x21\x23-\x7e]*"$/,
    'must be one entity tag: the updated_at of the limit in double quotes',
  )
  .optional()
  .meta({
    description:
      'The ETag of the limit as you read it: its `updated_at` in double quotes. If the limit has changed since, nothing is ' +
      'written (412), unless it already is as the request would make it.',
  })
const ifNoneMatch = z
  .literal('*')
  .optional()
  .meta({ description: 'Only if there is no limit for the target: otherwise nothing is written (412).' })

const writeHeaders = z.object({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch })
const deleteHeaders = z.object({ 'if-match': ifMatch })

/** The version of a limit that a request is for. */
function optionsOf(headers: z.output<typeof writeHeaders>): LimitOptions {
  const { 'if-match': tag, 'if-none-match': none } = headers
  // No limit satisfies both.
  if (tag !== undefined && none !== undefined) throw new Problem('limit_changed')
  if (none !== undefined) return { ifUpdatedAt: null }
  if (tag === undefined) return {}
  const atMs = Date.parse(tag.slice(tag.indexOf('"') + 1, -1))
  // Any other tag is no version of a limit.
  return { ifUpdatedAt: new Date(Number.isNaN(atMs) ? 0 : atMs) }
}

const etagHeader = { ETag: 'Entity tag of the limit: its `updated_at` in double quotes.' } as const

function respondWith(limit: WireLimit) {
  return { status: 200, headers: { etag: `"${limit.updated_at}"` }, json: limit } as const
}

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
  headers: writeHeaders,
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
      headers: etagHeader,
      content: { mediaType: 'application/json', schema: limitSchema, example: limitExample },
    },
  ],
  problems: ['limit_changed', 'refused', ...databaseProblems],
  async handle({ headers, body, context }, { queue }) {
    const { limits } = queue.actAs(actorOf(context))
    return respondWith(encodeLimit(await limits.set(decodeLimitRule(body), optionsOf(headers))))
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
  headers: writeHeaders,
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
      headers: etagHeader,
      content: { mediaType: 'application/json', schema: limitSchema, example: limitExample },
    },
  ],
  problems: ['limit_changed', 'refused', ...databaseProblems],
  async handle({ headers, body, context }, { queue }) {
    const { limits } = queue.actAs(actorOf(context))
    return respondWith(encodeLimit(await limits.change(decodeLimitRule(body), optionsOf(headers))))
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
  headers: deleteHeaders,
  successes: [{ status: 204, description: 'The limit was deleted.' }],
  problems: ['invalid_limit', 'limit_not_found', 'limit_changed', 'refused', ...databaseProblems],
  async handle({ headers, query, context }, { queue }) {
    await queue.actAs(actorOf(context)).limits.delete(query, optionsOf(headers))
    return { status: 204 }
  },
})
