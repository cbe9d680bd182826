// The queues of tenants, which two independent guards keep apart: the condition of each statement, and views that show
// the rows of one tenant.
import { assertArguments, assertKnownOptions, object, text } from '@queue/loop/arguments'
import { connectionOptions } from '@queue/postgres'
import { sql } from 'kysely'
import {
  type ConnectedDatabase,
  connect,
  type ConnectOptions,
  databaseOn,
  type QueueDatabase,
} from '../database/connect.ts'
import { createIdMint } from '../database/id-mint.ts'
import { createNotifier } from '../database/notifications.ts'
import type { Scope } from '../database/scope.ts'
import { tenantNames, tenantSetting } from '../database/tenant-names.ts'
import { QueueError } from '../domain/errors.ts'
import { internalsOf, withInternals } from '../enqueue/queue-internals.ts'
import type { Queue } from '../facade/queue.ts'
import type { EnqueueDatabase } from '../enqueue/enqueue.ts'
import type { WaitDatabase } from '../reads/wait-for-end.ts'
import { scopeMembers, type ScopedQueue, scopedQueueOn } from './scoped-queue.ts'

/** The bounds of a caller who is bound to a tenant. */
export type TenantScope = Scope & { readonly tenantId: string }

/** The queues of the tenants of one database, on a separate pool. */
export interface TenantQueues {
  /**
   * The queue of one tenant. Throws `invalid_options` for a scope without a tenant, or with a member that no scope has. The
   * members of the queue throw `invalid_options` where the role can reach the tables.
   */
  of(scope: TenantScope): ScopedQueue
  /** Ends every `waitFor`, and closes the pool. */
  close(): Promise<void>
}

export type TenantQueuesOptions = ConnectOptions & {
  /**
   * The queue of the same database. It counts the jobs that tenants cancel and knows which queues are full, because the
   * role of tenants may neither write statistics nor read the counts.
   */
  readonly queue: Queue
}

/**
 * Prepares a pool; the first request of a tenant opens the first connection. It connects with the role `api_tenant`
 * (docs/roles.md), which can reach the views of tenants and no table.
 */
export function createTenantQueues(tenantOptions: TenantQueuesOptions): TenantQueues {
  assertKnownOptions('createTenantQueues', tenantOptions, { ...connectionOptions, queue: true })
  const { queue, ...options } = tenantOptions
  assertArguments('createTenantQueues', { queue: object }, [queue])
  const { counter, full } = internalsOf(queue)
  const database = connect(options)
  const notifier = createNotifier(database)
  const deps = { notifier, mintIds: createIdMint(full.clock), counter, full }
  const checkRole = once(() => assertOnlyViews(database))
  const queues: TenantQueues = {
    of: (scope) => {
      assertKnownOptions('tenantQueues.of', scope, scopeMembers)
      assertArguments('tenantQueues.of', { tenantId: text }, [scope.tenantId])
      return scopedQueueOn(tenantDatabase(database, scope, { checkRole, scope }), deps, scope)
    },
    close: async () => {
      await notifier.drained()
      await database.close()
    },
  }
  return withInternals(queues, { database, counter, full })
}

interface TenantGuards {
  /** Resolves once it is known that the role can reach only the views. */
  readonly checkRole: () => Promise<void>
  /** The scope that each statement has as a condition; absent: no condition, so that only the views keep tenants apart. */
  readonly scope?: Scope
}

/** The database through the views of one tenant, in transactions that name the tenant. */
export function tenantDatabase(
  database: ConnectedDatabase,
  { tenantId }: Pick<TenantScope, 'tenantId'>,
  { checkRole, scope }: TenantGuards,
): EnqueueDatabase & WaitDatabase {
  const { schema, closing } = database
  const session = database.withSettings({ [tenantSetting]: tenantId })
  const tenantView = { names: tenantNames(database.names, schema), scope }
  return {
    ...databaseOn(session, schema),
    ...tenantView,
    closing,
    run: async (statement, frequency) => {
      await checkRole()
      return session.run(statement, frequency)
    },
    runFollowed: async (statement, follower) => {
      await checkRole()
      return session.runFollowed(statement, follower)
    },
    transaction: async (work) => {
      await checkRole()
      return session.transaction((inside) => work({ ...databaseOn(inside, schema), ...tenantView }))
    },
  }
}

/** Throws `invalid_options` for a role that can also reach the tables: the views would only seem to keep tenants apart. */
export async function assertOnlyViews(database: QueueDatabase): Promise<void> {
  const reaches = (
    [
      'jobs',
      'job_executions',
      'job_logs',
      'job_errors',
      'job_error_days',
      'job_stats',
      'dead_letter_jobs',
      'job_metadata',
    ] as const
  ).map((table) => sql`has_any_column_privilege(${`${database.schema}.${table}`}, 'SELECT, INSERT, UPDATE')`)
  const [row] = await database.run(
    sql<{ name: string; reaches_tables: boolean }>`
      SELECT current_user::text AS name, ${sql.join(reaches, sql` OR `)} AS reaches_tables`,
  )
  if (row?.reaches_tables === false) return
  throw new QueueError(
    'invalid_options',
    `the role ${JSON.stringify(row?.name)}, which serves the requests of tenants, can read or write the tables ` +
      'themselves: use the role api_tenant, which queue-migrate roles sets up',
  )
}

/** Runs `work` until it first succeeds, and never again. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    if (done === undefined) {
      const running = work()
      done = running
      running.catch(() => (done = undefined))
    }
    return done
  }
}
