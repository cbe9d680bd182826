import { z } from 'zod'
import { limitScopes, retryOrders, shareOwners } from '../database/flow-control-tables.ts'
import { jobFields } from '../domain/job.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import {
  limitMaxRunningMax,
  limitMaxWaitingMax,
  rateBurstMax,
  rateCountMax,
  ratePerMsMax,
  shareWeightMax,
} from '../domain/limits.ts'

/**
 * What a limit applies to: a queue, a kind in it, one key in it, each key in it without a limit of its own, or a tenant
 * in it.
 */
export type LimitScope = (typeof limitScopes)[number]

/** A token bucket: at most `burst` jobs start at once, and `count` more in each `perMs` milliseconds. */
export interface Rate {
  readonly count: number
  readonly perMs: number
  readonly burst: number
}

/** Whether a job that waits for a retry holds back the later jobs of its key until it has ended. */
export type RetryOrder = (typeof retryOrders)[number]

/** Who takes turns in a fair queue. */
export type ShareOwner = (typeof shareOwners)[number]

/** Identifies a limit. */
export interface LimitTarget {
  /** The name of the queue. Each limit applies to one queue. */
  readonly queue: string
  /** Whether it applies to the queue, a kind or a key in it, each of its keys, or a tenant. */
  readonly scope: LimitScope
  /** The name of the kind, the key or the tenant; absent for the other scopes. */
  readonly name?: string | undefined
}

/** The limit of a target. All limits that apply to a job must allow its start. */
export interface LimitRule extends LimitTarget {
  /** How many of its jobs may run at a time; null: any number. */
  readonly maxRunning?: number | null | undefined
  /**
   * How many of its jobs may wait. Beyond that, enqueues are refused with `queue_full`; null: never. The jobs are
   * counted each second. Only for `queue` and `tenant`.
   */
  readonly maxWaiting?: number | null | undefined
  /** How fast its jobs may start; null: as fast as possible. */
  readonly rate?: Rate | null | undefined
  /** Whether no job of it may start. Not for `each_key`. */
  readonly paused?: boolean | undefined
  /**
   * Makes the jobs of each key start in order: by priority, `runAt` and id. A job holds its key from its first start to
   * its end; with `continue` only while it runs. Only for `each_key`.
   */
  readonly ordered?: { readonly onRetry?: RetryOrder | undefined } | null | undefined
  /**
   * Whether tenants or keys take turns to start their jobs of one priority, however many jobs each has waiting. Only
   * for `queue`.
   */
  readonly fairBy?: ShareOwner | null | undefined
  /** How many turns this tenant or key has for each turn of the others, 1 to 1000; null: one. Only for `tenant` and `key`. */
  readonly weight?: number | null | undefined
}

/** A stored limit. */
export interface Limit {
  readonly queue: string
  readonly scope: LimitScope
  /** Null unless the scope is a kind, a key or a tenant. */
  readonly name: string | null
  readonly maxRunning: number | null
  readonly maxWaiting: number | null
  readonly rate: Rate | null
  readonly ordered: { readonly onRetry: RetryOrder } | null
  readonly fairBy: ShareOwner | null
  readonly weight: number | null
  readonly pausedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const limitFields = {
  queue: jobFields.queue,
  scope: z.enum(limitScopes),
  name: jobFields.key,
  maxRunning: z.int().min(1).max(limitMaxRunningMax),
  maxWaiting: z.int().min(1).max(limitMaxWaitingMax),
  rateCount: z.int().min(1).max(rateCountMax),
  ratePerMs: z.int().min(1).max(ratePerMsMax),
  rateBurst: z.int().min(1).max(rateBurstMax),
  paused: z.boolean(),
  onRetry: z.enum(retryOrders),
  fairBy: z.enum(shareOwners),
  weight: z.int().min(1).max(shareWeightMax),
} as const

const optionFields = {
  /**
   * The `updatedAt` of the limit as the caller has read it; null: there was none. If that has changed since, nothing is
   * written, unless the limit is already as the change would make it. Absent: any version.
   */
  ifUpdatedAt: z.date().nullable().optional(),
}
export const limitOptionsSchema = z.strictObject(optionFields)

/** For which version of a limit a change is made. */
export type LimitOptions = OptionsOf<typeof optionFields>

const targetFields = {
  queue: limitFields.queue,
  scope: limitFields.scope,
  name: limitFields.name.optional(),
}

export const limitTargetSchema = z.strictObject(targetFields).superRefine(checkName)

/** The members of a limit, which may limit nothing. */
export const limitMembersSchema = z
  .strictObject({
    ...targetFields,
    maxRunning: limitFields.maxRunning.nullish(),
    maxWaiting: limitFields.maxWaiting.nullish(),
    rate: z
      .strictObject({
        count: limitFields.rateCount,
        perMs: limitFields.ratePerMs,
        burst: limitFields.rateBurst,
      })
      .nullish(),
    paused: limitFields.paused.optional(),
    ordered: z.strictObject({ onRetry: limitFields.onRetry.default('block') }).nullish(),
    fairBy: limitFields.fairBy.nullish(),
    weight: limitFields.weight.nullish(),
  })
  .superRefine(checkName)
  .refine((rule) => rule.scope !== 'each_key' || rule.paused !== true, {
    path: ['paused'],
    message: 'only a single key or the whole queue can be paused',
  })
  .refine((rule) => rule.scope === 'each_key' || (rule.ordered ?? null) === null, {
    path: ['ordered'],
    message: 'applies to each key of a queue: use the scope each_key',
  })
  .refine((rule) => rule.scope === 'queue' || (rule.fairBy ?? null) === null, {
    path: ['fairBy'],
    message: 'applies to a queue: use the scope queue',
  })
  .refine(
    ({ scope, maxWaiting }) => scope === 'queue' || scope === 'tenant' || (maxWaiting ?? null) === null,
    {
      path: ['maxWaiting'],
      message: 'applies to a queue or a tenant: use the scope queue or tenant',
    },
  )
  .refine((rule) => isShare(rule.scope) || (rule.weight ?? null) === null, {
    path: ['weight'],
    message: 'applies to a tenant or a key: use the scope tenant or key',
  })
  .refine(
    ({ scope, maxRunning, rate, paused }) =>
      scope !== 'tenant' || ((maxRunning ?? rate ?? null) === null && paused !== true),
    { path: ['scope'], message: 'a tenant can have maxWaiting and a weight, and no other limit' },
  )

/** A limit to set. */
export const limitRuleSchema = limitMembersSchema.refine(limitsSomething, {
  path: [],
  message:
    'must limit something: set maxRunning, maxWaiting, rate, paused, ordered, fairBy or weight, or delete the limit',
})

export function limitsSomething({
  maxRunning,
  maxWaiting,
  rate,
  paused,
  ordered,
  fairBy,
  weight,
}: z.output<typeof limitMembersSchema>): boolean {
  return (maxRunning ?? maxWaiting ?? rate ?? ordered ?? fairBy ?? weight ?? null) !== null || paused === true
}

function isShare(scope: LimitScope): boolean {
  return scope === 'tenant' || scope === 'key'
}

function checkName(
  { scope, name }: { readonly scope: LimitScope; readonly name?: string | undefined },
  context: z.RefinementCtx,
): void {
  const isNamed = scope === 'kind' || isShare(scope)
  const message = nameFault(scope, name, isNamed)
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['name'], message })
}

function nameFault(scope: LimitScope, name: string | undefined, isNamed: boolean): string | undefined {
  if (!isNamed)
    return name === undefined ? undefined : `must be absent: a limit of the scope ${scope} has no name`
  if (name === undefined) return `must be the name of the ${scope}`
  return scope === 'kind' && !jobFields.kind.safeParse(name).success ? 'is not the name of a kind' : undefined
}
