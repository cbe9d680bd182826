import {
  type ConnectedDatabase,
  type ConnectOptions,
  createTenantQueues,
  type Queue,
  QueueError,
  scopeQueue,
  type Scope,
  type ScopedQueue,
  type TenantQueues,
  type TenantScope,
} from '@queue/core'

/** The queues of callers with bounds. */
export interface QueuesOfScopes {
  of(scope: Scope): ScopedQueue
  /** The connections of tenants; undefined where they have none. */
  readonly tenantPool: ConnectedDatabase['pool'] | undefined
  /** Closes the connections of tenants. */
  close(): Promise<void>
}

export interface QueuesOfScopesOptions {
  /** The queue of everybody. */
  readonly queue: Pick<Queue, 'database' | 'counter' | 'full'>
  /** How to connect with the role of tenants; undefined: it is not known. */
  readonly tenants: ConnectOptions | undefined
}

/** A tenant's queue is behind two walls. Bounds of queues and kinds alone are conditions on the queue of everybody. */
export function queuesOfScopes({ queue, tenants }: QueuesOfScopesOptions): QueuesOfScopes {
  const tenantQueues =
    tenants === undefined
      ? undefined
      : createTenantQueues({ ...tenants, counter: queue.counter, full: queue.full })
  return {
    of: (scope) => (isTenants(scope) ? tenantQueueOf(tenantQueues, scope) : scopeQueue(queue, scope)),
    tenantPool: tenantQueues?.database.pool,
    close: async () => tenantQueues?.close(),
  }
}

function isTenants(scope: Scope): scope is TenantScope {
  return scope.tenantId !== undefined
}

function tenantQueueOf(tenantQueues: TenantQueues | undefined, scope: TenantScope): ScopedQueue {
  if (tenantQueues !== undefined) return tenantQueues.of(scope)
  const cause = new Error('API_TENANT_DATABASE_URL is not set, and a key that is bound to a tenant was used')
  throw new QueueError('database_unavailable', 'requests of tenants are not served here', { cause })
}
