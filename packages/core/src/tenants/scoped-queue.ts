// The queue for a caller with bounds.
import { assertArguments, assertKnownOptions, checkedMethods, object } from '@queue/loop/arguments'
import type { ActEffects } from '../acts/act-effects.ts'
import { type Acts, createActs } from '../acts/acts.ts'
import { performing, performingAs } from '../audit/perform.ts'
import type { Actor } from '../domain/actor.ts'
import { createIdMint } from '../database/id-mint.ts'
import { createNotifier } from '../database/notifications.ts'
import type { Scope } from '../database/scope.ts'
import { QueueError } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { createEnqueue, type EnqueueDatabase, type EnqueueDeps } from '../enqueue/enqueue.ts'
import {
  groupedOptionNames,
  groupEnqueues,
  type EnqueueBounds,
  type GroupedEnqueue,
  type GroupedEnqueueOptions,
} from '../enqueue/grouped-enqueue.ts'
import { deadLetterReads, type JobReads, jobReads, type Queue } from '../facade/queue.ts'
import { internalsOf } from '../enqueue/queue-internals.ts'
import { checkedEnqueueMany } from '../enqueue/enqueue-parameters.ts'
import { assertActor, assertWaitOptions, queueParameters } from '../facade/parameters.ts'
import { manyActsWithin, operationReads } from '../acts/many-acts.ts'
import { listOwnQueues } from '../flow/own-queues.ts'
import { queueKeys } from '../flow/queue-keys.ts'
import { createEndWaits, type WaitDatabase } from '../reads/wait-for-end.ts'

/** The acts on the jobs of a scope. Acts that affect others, such as pausing a queue or revoking a key, are left out. */
export type ScopedActs = Pick<
  Acts,
  'cancel' | 'requeue' | 'runNow' | 'duplicate' | 'edit' | 'deadLetters' | 'many'
>

/**
 * What a caller with bounds can do, with the jobs in its scope. Other jobs are not found, as if they did not exist.
 * Naming another tenant, or enqueuing beyond the scope, throws `out_of_scope`.
 */
export interface ScopedQueue extends JobReads, ScopedActs, Pick<Queue, 'enqueueMany' | 'operations'> {
  /** As `waitFor` of the queue, which ends these waits when it is closed. It reads the job even if it is known to have ended. */
  readonly waitFor: Queue['waitFor']
  readonly deadLetters: Queue['deadLetters']
  /** One page of the queues in which the scope has live jobs, with counts of only these jobs. */
  readonly listQueues: Queue['listQueues']
  /** The keys of the scope's jobs in a queue. */
  readonly queueKeys: Queue['queueKeys']
  /** The acts on behalf of this actor, each with an entry in the audit log. */
  actAs(actor: Actor): ScopedActs
  /** Writes the jobs of this caller's concurrent calls together, but never with those of other callers. */
  grouped(options?: Omit<GroupedEnqueueOptions, 'bounds'>): GroupedEnqueue
}

export const scopeMembers = { tenantId: true, queues: true, kinds: true } as const satisfies {
  readonly [Name in keyof Scope]-?: true
}

/** A queue whose statements all have the condition of the scope. */
export function scopeQueue(queue: Queue, scope: Scope): ScopedQueue {
  assertArguments('scopeQueue', { queue: object, scope: object }, [queue, scope])
  assertKnownOptions('scopeQueue', scope, scopeMembers)
  const { database, counter, full } = internalsOf(queue)
  const { transaction } = database
  const scoped = {
    ...database,
    scope,
    transaction: <Result>(work: Parameters<typeof transaction<Result>>[0]) =>
      transaction((inside) => work({ ...inside, scope })),
  }
  return scopedQueueOn(scoped, { notifier: createNotifier(database), counter, full }, scope)
}

/** The same on a database whose statements are already restricted to the scope. */
export function scopedQueueOn(
  database: EnqueueDatabase & WaitDatabase,
  { counter, ...deps }: EnqueueDeps & ActEffects,
  scope: Scope,
): ScopedQueue {
  const bounds = boundsOf(scope)
  const { full } = deps
  const shared = { mintIds: createIdMint(full.clock), ...deps }
  const write = createEnqueue(database, shared)
  const writeAll = hidesOwnKeys(scope)
    ? createEnqueue(database, { ...shared, disclose: bounds.disclose })
    : write
  const effects = { notifier: deps.notifier, counter, full }
  const waits = createEndWaits(database)
  const { list, errors, stats } = jobReads(database)
  const reads = deadLetterReads(database)
  const acts = actsWithin(createActs(performing(database), effects), scope)
  const queue: ScopedQueue = {
    ...jobReads(database),
    ...acts,
    waitFor: async (job, waitOptions = {}) => {
      assertWaitOptions(waitOptions)
      // A job that the caller got elsewhere may be beyond the scope, and what a caller without types gives may be no job.
      const id: unknown = typeof job === 'string' ? job : job.id
      return waits.waitFor(String(id), waitOptions)
    },
    list: async (filter) => list(withinScope(scope, filter)),
    errors: async (filter) => errors(withinScope(scope, filter)),
    stats: async (query) => stats(withinScope(scope, query)),
    operations: operationReads(database, (filter) => withinScope(scope, filter)),
    deadLetters: {
      ...acts.deadLetters,
      ...reads,
      list: async (filter) => reads.list(withinScope(scope, filter)),
      count: async (selection) => reads.count(withinScope(scope, selection)),
    },
    actAs: (actor) => {
      assertActor(actor)
      const by = { ...actor, tenantId: scope.tenantId }
      const byActor = actsWithin(createActs(performingAs(database, by), effects, by), scope)
      return checkedMethods('queue', byActor, queueParameters)
    },
    enqueueMany: checkedEnqueueMany(async (requests, target) => writeAll(requests.map(bounds.admit), target)),
    grouped: (options = {}) => {
      assertKnownOptions('queue.grouped', options, groupedOptionNames)
      return groupEnqueues({ enqueueMany: write, full }, { ...options, bounds })
    },
    listQueues: (query) => listOwnQueues(database, query),
    queueKeys: (name, query) => queueKeys(database, name, query),
  }
  return checkedMethods('queue', queue, queueParameters)
}

function actsWithin(acts: Acts, scope: Scope): ScopedActs {
  const { cancel, requeue, runNow, duplicate, edit, deadLetters, many } = acts
  const requeueMany: typeof deadLetters.requeueMany = async (selection, options) =>
    deadLetters.requeueMany(withinScope(scope, selection), options)
  return {
    cancel,
    requeue,
    runNow,
    duplicate,
    edit,
    deadLetters: { ...deadLetters, requeueMany },
    many: manyActsWithin(many, (filter) => withinScope(scope, filter)),
  }
}

/** The filter unchanged. Throws `out_of_scope` where it names another tenant or filters by worker version. */
function withinScope<
  Filter extends { readonly tenantId?: string | undefined; readonly workerVersion?: string | undefined },
>(scope: Scope, filter: Filter): Filter
function withinScope<Filter extends { readonly tenantId?: string | undefined }>(
  scope: Scope,
  filter?: Filter,
): Filter | undefined
function withinScope<
  Filter extends { readonly tenantId?: string | undefined; readonly workerVersion?: string | undefined },
>(scope: Scope, filter?: Filter): Filter | undefined {
  assertOwnTenant(scope, filter?.tenantId)
  if (filter?.workerVersion !== undefined) {
    throw new QueueError('out_of_scope', 'this caller may not filter by worker versions')
  }
  return filter
}

function boundsOf(scope: Scope): EnqueueBounds {
  return {
    admit: (request) => {
      assertOwnTenant(scope, request.tenantId ?? undefined)
      if (!isInQueuesAndKinds(scope, request)) {
        throw new QueueError('out_of_scope', 'this caller may not enqueue jobs of this queue and kind')
      }
      return scope.tenantId === undefined ? request : { ...request, tenantId: scope.tenantId }
    },
    disclose: (enqueued) => {
      if (isInQueuesAndKinds(scope, enqueued.job)) return enqueued
      if (enqueued.conflict !== undefined) {
        throw new QueueError('unique_conflict', 'a job that this caller may not see holds the unique key')
      }
      throw new QueueError('idempotency_mismatch', 'the idempotency key belongs to a different request')
    },
  }
}

/** Whether a key of the caller's tenant may belong to a job that the caller may not see. */
function hidesOwnKeys({ queues, kinds }: Scope): boolean {
  return queues !== undefined || kinds !== undefined
}

function isInQueuesAndKinds({ queues, kinds }: Scope, job: Pick<JobRequest, 'queue' | 'kind'>): boolean {
  return (queues?.includes(job.queue) ?? true) && (kinds?.includes(job.kind) ?? true)
}

/** Throws `out_of_scope` for another tenant, without telling whether that tenant exists. */
function assertOwnTenant({ tenantId }: Scope, named: string | undefined): void {
  if (tenantId === undefined || named === undefined || named === tenantId) return
  throw new QueueError('out_of_scope', 'the request names a tenant other than that of the caller')
}
