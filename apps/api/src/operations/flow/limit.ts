import type { Limit, LimitInUse, LimitRule } from '@queue/core'
import { instantOutput, limitFields } from '@queue/core/internal'
import { z } from 'zod'

const rateSchema = z
  .strictObject({
    count: limitFields.rateCount.meta({
      description: 'Number of tokens that are added in per_ms. A start takes the weight of its job.',
    }),
    per_ms: limitFields.ratePerMs.meta({ description: 'Length of the time window in milliseconds.' }),
    burst: limitFields.rateBurst.meta({
      description: 'Maximum number of tokens, which can be used at once after a pause.',
    }),
  })
  .meta({
    id: 'LimitRate',
    description:
      'Rate limit: a token bucket. In any t milliseconds, starts take at most burst + t × count / per_ms tokens.',
  })

const onRetry = limitFields.onRetry.meta({
  description:
    'What the jobs behind a job that is retried do. `block` (default): they wait until it has ended. `continue`: ' +
    'they start.',
})
const orderDescription =
  'Starts the jobs of each key one after the other, by priority, run_at and id. Only for the scope `each_key`.'

const fairDescription =
  'Lets tenants or keys take turns within a priority, however many jobs each has waiting. Only for the scope `queue`.'
const weightDescription =
  'Number of turns for each turn of the others. Null means 1. Only for the scopes `tenant` and `key`.'

const waitingDescription =
  'Maximum number of waiting jobs. Beyond it, enqueues fail with queue_full. Counted every second. Only for the ' +
  'scopes `queue` and `tenant`.'

const queue = limitFields.queue.meta({ description: 'Queue of the limit.' })
const scope = limitFields.scope.meta({
  description:
    'What the limit applies to. `queue`: the whole queue. `kind`: one kind in it. `key`: one key in it. `each_key`: ' +
    'each key without a limit of its own. `tenant`: one tenant in it.',
})
const name = limitFields.name
  .optional()
  .meta({ description: 'Name of the kind, key or tenant. Absent for the scopes `queue` and `each_key`.' })

/** The query that names a limit. */
export const limitTargetQuery = z.strictObject({ queue, scope, name })

const ruleFields = {
  queue,
  scope,
  name,
  max_running: limitFields.maxRunning
    .nullable()
    .optional()
    .meta({ description: 'Maximum number of running jobs.' }),
  max_waiting: limitFields.maxWaiting.nullable().optional().meta({ description: waitingDescription }),
  rate: rateSchema.nullable().optional(),
  paused: limitFields.paused.optional().meta({
    description: 'Whether starts are paused. Not for the scope `each_key`.',
  }),
  ordered: z
    .strictObject({ on_retry: onRetry.optional() })
    .nullable()
    .optional()
    .meta({ description: orderDescription }),
  fair_by: limitFields.fairBy.nullable().optional().meta({ description: fairDescription }),
  weight: limitFields.weight.nullable().optional().meta({ description: weightDescription }),
}

/** The request that sets a limit. Absent and null members do not limit anything. */
export const setLimitSchema = z
  .strictObject(ruleFields)
  .meta({ id: 'SetLimit', description: 'The new limit. It replaces the current one.' })

/** The request that changes a limit. Absent members stay as they are. */
export const changeLimitSchema = z
  .strictObject(ruleFields)
  .meta({ id: 'ChangeLimit', description: 'The target of a limit, and the members to change.' })

const instant = (description: string) => instantOutput.meta({ description })

export const limitSchema = z
  .object({
    queue,
    scope,
    name: limitFields.name
      .nullable()
      .meta({ description: 'Name of the kind, key or tenant. Null for the scopes `queue` and `each_key`.' }),
    max_running: limitFields.maxRunning
      .nullable()
      .meta({ description: 'Maximum number of running jobs. Null if it is not limited.' }),
    max_waiting: limitFields.maxWaiting.nullable().meta({ description: waitingDescription }),
    rate: rateSchema.nullable(),
    ordered: z.strictObject({ on_retry: onRetry }).nullable().meta({ description: orderDescription }),
    fair_by: limitFields.fairBy.nullable().meta({ description: fairDescription }),
    weight: limitFields.weight.nullable().meta({ description: weightDescription }),
    paused_at: instant('Time since when starts are paused. Null if they are not.').nullable(),
    created_at: instant('Time when the limit was first set.'),
    updated_at: instant('Time when the limit was last set.'),
  })
  .meta({
    id: 'Limit',
    description: 'A limit. A job starts only if every limit that applies to it allows that.',
  })

export type WireLimit = z.output<typeof limitSchema>

export const limitInUseSchema = limitSchema
  .extend({
    running: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description:
          'Number of running jobs, by the counter that claims use. For a key that several tenants use, the number of the ' +
          'tenant with the most. Null if max_running is not set, and for the scope `each_key`: GET /queues/{name}/keys has ' +
          'the number of each key.',
      }),
  })
  .meta({ id: 'LimitInUse', description: 'A limit with its current use.' })

export function encodeLimit(limit: Limit): WireLimit {
  const { rate, ordered } = limit
  return {
    queue: limit.queue,
    scope: limit.scope,
    name: limit.name,
    max_running: limit.maxRunning,
    max_waiting: limit.maxWaiting,
    rate: rate && { count: rate.count, per_ms: rate.perMs, burst: rate.burst },
    ordered: ordered && { on_retry: ordered.onRetry },
    fair_by: limit.fairBy,
    weight: limit.weight,
    paused_at: limit.pausedAt && limit.pausedAt.toISOString(),
    created_at: limit.createdAt.toISOString(),
    updated_at: limit.updatedAt.toISOString(),
  }
}

export function encodeLimitInUse(limit: LimitInUse): z.output<typeof limitInUseSchema> {
  return { ...encodeLimit(limit), running: limit.running }
}

export function decodeLimitRule({
  max_running,
  max_waiting,
  rate,
  ordered,
  fair_by,
  ...rule
}: z.output<typeof setLimitSchema>): LimitRule {
  return {
    ...rule,
    maxRunning: max_running,
    maxWaiting: max_waiting,
    rate: rate && { count: rate.count, perMs: rate.per_ms, burst: rate.burst },
    ordered: ordered && { onRetry: ordered.on_retry },
    fairBy: fair_by,
  }
}

/** The example of the documentation. */
export const limitExample: WireLimit = {
  queue: 'default',
  scope: 'each_key',
  name: null,
  max_running: 5,
  max_waiting: null,
  rate: null,
  ordered: null,
  fair_by: null,
  weight: null,
  paused_at: null,
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
}
