// The queue as a caller with bounds sees it.
import { type Acts, createActs, performing, performingAs, type Told } from '../acts.ts'
import type { Actor } from '../audit/actor.ts'
import type { ConnectedDatabase } from '../database/connect.ts'
import { createIdMint } from '../database/id-mint.ts'
import { createNotifier } from '../database/notifications.ts'
import type { Scope } from '../database/scope.ts'
import { QueueError } from '../domain/errors.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { createEnqueue, type EnqueueDatabase, type EnqueueDeps } from '../enqueue.ts'
import {
  createGroupedEnqueue,
  type EnqueueBounds,
  type GroupedEnqueue,
  type GroupedEnqueueOptions,
} from '../grouped-enqueue.ts'
import { deadLetterReads, type JobReads, jobReads, type Queue } from '../queue.ts'
import { manyActsWithin, operationReads } from '../operations/many-acts.ts'
import { listOwnQueues } from '../queues/own-queues.ts'
import { queueKeys } from '../queues/queue-keys.ts'

/** The acts that are about jobs of a scope. Pausing a queue, or revoking a key, concerns others. */
export type ScopedActs = Pick<
  Acts,
  'cancel' | 'requeue' | 'runNow' | 'duplicate' | 'edit' | 'deadLetters' | 'many'
>

/**
 * What a caller with bounds may do, with the jobs in its scope. Others are not found, as if they were not there. Naming
 * another tenant, or enqueuing beyond the scope, is `out_of_scope`.
 */
export interface ScopedQueue extends JobReads, ScopedActs, Pick<Queue, 'enqueueMany' | 'operations'> {
  readonly deadLetters: Queue['deadLetters']
  /** One page of the queues in which the scope has live jobs, counted for itself. */
  readonly listQueues: Queue['listQueues']
  /** The keys of the jobs of the scope in a queue. */
  readonly queueKeys: Queue['queueKeys']
  /** The acts as those of this actor, each with its entry in the audit log. */
  actAs(actor: Actor): ScopedActs
  /** Writes the jobs of its concurrent callers together, and nobody else's with them. */
  grouped(options?: Omit<GroupedEnqueueOptions, 'bounds'>): GroupedEnqueue
}

/** The queue of everybody, held to a scope by the condition of each statement. */
export function scopeQueue(
  { database, counter, full }: { readonly database: ConnectedDatabase } & Pick<Told, 'counter' | 'full'>,
  scope: Scope,
): ScopedQueue {
  const { transaction } = database
  const scoped = {
    ...database,
    scope,
    transaction: <Result>(work: Parameters<typeof transaction<Result>>[0]) =>
      transaction((inside) => work({ ...inside, scope })),
  }
  return scopedQueueOn(scoped, { notifier: createNotifier(database), counter, full }, scope)
}

/** The same on a database whose statements are held to the scope in whatever way. */
export function scopedQueueOn(
  database: EnqueueDatabase,
  { counter, ...deps }: EnqueueDeps & Told,
  scope: Scope,
): ScopedQueue {
  const bounds = boundsOf(scope)
  const { full } = deps
  const shared = { mintIds: createIdMint(full.clock), ...deps }
  const write = createEnqueue(database, shared)
  const writeAll = hidesOwnKeys(scope)
    ? createEnqueue(database, { ...shared, disclose: bounds.disclose })
    : write
  const told = { notifier: deps.notifier, counter, full }
  const { list, errors, stats } = jobReads(database)
  const letters = deadLetterReads(database)
  const acts = actsWithin(createActs(performing(database), told), scope)
  return {
    ...jobReads(database),
    ...acts,
    list: async (filter) => list(own(scope, filter)),
    errors: async (filter) => errors(own(scope, filter)),
    stats: async (query) => stats(own(scope, query)),
    operations: operationReads(database, (filter) => own(scope, filter)),
    deadLetters: {
      ...acts.deadLetters,
      ...letters,
      list: async (filter) => letters.list(own(scope, filter)),
      count: async (selection) => letters.count(own(scope, selection)),
    },
    actAs: (actor) => {
      const by = { ...actor, tenantId: scope.tenantId }
      return actsWithin(createActs(performingAs(database, by), told, by), scope)
    },
    enqueueMany: async (requests, target) => writeAll(requests.map(bounds.admit), target),
    grouped: (options) => createGroupedEnqueue({ enqueueMany: write, full }, { ...options, bounds }),
    listQueues: (query) => listOwnQueues(database, query),
    queueKeys: (name, query) => queueKeys(database, name, query),
  }
}

function actsWithin(acts: Acts, scope: Scope): ScopedActs {
  const { cancel, requeue, runNow, duplicate, edit, deadLetters, many } = acts
  const requeueMany: typeof deadLetters.requeueMany = async (selection) =>
    deadLetters.requeueMany(own(scope, selection))
  return {
    cancel,
    requeue,
    runNow,
    duplicate,
    edit,
    deadLetters: { ...deadLetters, requeueMany },
    many: manyActsWithin(many, (filter) => own(scope, filter)),
  }
}

/** The filter as it is, unless it names another tenant. */
function own<
  Filter extends { readonly tenantId?: string | undefined; readonly workerVersion?: string | undefined },
>(scope: Scope, filter: Filter): Filter
function own<Filter extends { readonly tenantId?: string | undefined }>(
  scope: Scope,
  filter?: Filter,
): Filter | undefined
function own<
  Filter extends { readonly tenantId?: string | undefined; readonly workerVersion?: string | undefined },
>(scope: Scope, filter?: Filter): Filter | undefined {
  assertOwnTenant(scope, filter?.tenantId)
  if (filter?.workerVersion !== undefined) {
    throw new QueueError('out_of_scope', 'the versions of workers are not for this caller to know')
  }
  return filter
}

function boundsOf(scope: Scope): EnqueueBounds {
  return {
    admit: (request) => {
      assertOwnTenant(scope, request.tenantId ?? undefined)
      if (!isInQueuesAndKinds(scope, request)) {
        throw new QueueError('out_of_scope', 'jobs of this queue and kind are not for this caller to enqueue')
      }
      return scope.tenantId === undefined ? request : { ...request, tenantId: scope.tenantId }
    },
    disclose: (enqueued) => {
      if (isInQueuesAndKinds(scope, enqueued.job)) return enqueued
      if (enqueued.conflict !== undefined) {
        throw new QueueError(
          'unique_conflict',
          'the unique key is held by a job that is not for this caller to see',
        )
      }
      throw new QueueError('idempotency_mismatch', 'the idempotency key belongs to a different request')
    },
  }
}

/** Whether a key of the caller's may be known with a job that it may not see. */
function hidesOwnKeys({ queues, kinds }: Scope): boolean {
  return queues !== undefined || kinds !== undefined
}

function isInQueuesAndKinds({ queues, kinds }: Scope, job: Pick<JobRequest, 'queue' | 'kind'>): boolean {
  return (queues?.includes(job.queue) ?? true) && (kinds?.includes(job.kind) ?? true)
}

/** Nothing is said of whether there is such a tenant. */
function assertOwnTenant({ tenantId }: Scope, named: string | undefined): void {
  if (tenantId === undefined || named === undefined || named === tenantId) return
  throw new QueueError('out_of_scope', 'the tenant that is named is not that of the caller')
}
