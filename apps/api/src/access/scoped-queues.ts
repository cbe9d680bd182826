import {
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
import { type ConnectedDatabase, databaseOf } from '@queue/core/internal'

/** The queues of scoped callers. */
export interface ScopedQueues {
  of(scope: Scope): ScopedQueue
  /** The connection pool of tenants; undefined without one. */
  readonly tenantPool: ConnectedDatabase['pool'] | undefined
  /** Closes the connection pool of tenants. */
  close(): Promise<void>
}

export interface ScopedQueuesOptions {
  /** The queue of callers without a scope. */
  readonly queue: Queue
  /** How to connect with the role of tenants; undefined: tenants are not served. */
  readonly tenants: ConnectOptions | undefined
}

/**
 * A tenant has a database role with row-level security in addition to the conditions of its statements. A scope of only queues and
 * kinds has conditions on the statements of the unscoped queue.
 */
export function createScopedQueues({ queue, tenants }: ScopedQueuesOptions): ScopedQueues {
  const tenantQueues = tenants === undefined ? undefined : createTenantQueues({ ...tenants, queue })
  return {
    of: (scope) => (isTenants(scope) ? tenantQueueOf(tenantQueues, scope) : scopeQueue(queue, scope)),
    tenantPool: tenantQueues && databaseOf(tenantQueues).pool,
    close: async () => tenantQueues?.close(),
  }
}

function isTenants(scope: Scope): scope is TenantScope {
  return scope.tenantId !== undefined
}

function tenantQueueOf(tenantQueues: TenantQueues | undefined, scope: TenantScope): ScopedQueue {
  if (tenantQueues !== undefined) return tenantQueues.of(scope)
  const cause = new Error(
    'API_TENANT_DATABASE_URL is not set, but a key that is restricted to a tenant was used',
  )
  throw new QueueError('database_unavailable', 'this API does not serve tenants', { cause })
}
