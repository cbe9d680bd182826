// The queues of tenants, each behind two walls: the condition of each statement, and views that show one tenant's rows.
import { sql } from 'kysely'
import {
  type ConnectedDatabase,
  connect,
  type ConnectOptions,
  databaseOn,
  type QueueDatabase,
} from '../database/connect.ts'
import type { Told } from '../acts.ts'
import { createIdMint } from '../database/id-mint.ts'
import { createNotifier } from '../database/notifications.ts'
import type { Scope } from '../database/scope.ts'
import { tenantNames, tenantSetting } from '../database/tenant-names.ts'
import { QueueError } from '../domain/errors.ts'
import type { FullQueues } from '../limits/full-queues.ts'
import type { EnqueueDatabase } from '../enqueue.ts'
import { type ScopedQueue, scopedQueueOn } from './scoped-queue.ts'

/** The bounds of a caller who is bound to a tenant. */
export type TenantScope = Scope & { readonly tenantId: string }

/** The queues of the tenants of one database, on a pool of their own. */
export interface TenantQueues {
  readonly database: ConnectedDatabase
  /** The queue of one tenant. Throws nothing; its members throw `invalid_options` where the role is not walled in. */
  of(scope: TenantScope): ScopedQueue
  /** Closes the pool. */
  close(): Promise<void>
}

export type TenantQueuesOptions = ConnectOptions & {
  /** Takes what tenants cancel, and adds it to the numbers: their role may not. That of the queue of everybody. */
  readonly counter?: Told['counter']
  /** Which queues take no more jobs: their role may not read that. That of the queue of everybody. */
  readonly full: FullQueues
}

/**
 * Prepares a pool; the first request of a tenant makes the first connection. It connects with the role `api_tenant`
 * (docs/roles.md), which can reach the views of tenants and no table.
 */
export function createTenantQueues({ counter, full, ...options }: TenantQueuesOptions): TenantQueues {
  const database = connect(options)
  const notifier = createNotifier(database)
  const deps = { notifier, mintIds: createIdMint(full.clock), counter, full }
  const checkRole = once(() => assertWalledIn(database))
  return {
    database,
    of: (scope) => scopedQueueOn(tenantDatabase(database, scope, { checkRole, scope }), deps, scope),
    close: async () => {
      await notifier.drained()
      await database.close()
    },
  }
}

interface Walls {
  /** The second wall: resolves once the role is known to reach the views alone. */
  readonly checkRole: () => Promise<void>
  /** The first wall: the condition of each statement; absent, there is none. */
  readonly scope?: Scope
}

/** The database as seen through the views of one tenant, by transactions that name it. */
export function tenantDatabase(
  database: ConnectedDatabase,
  { tenantId }: Pick<TenantScope, 'tenantId'>,
  { checkRole, scope }: Walls,
): EnqueueDatabase {
  const { schema } = database
  const session = database.withSettings({ [tenantSetting]: tenantId })
  const seen = { names: tenantNames(database.names, schema), scope }
  return {
    ...databaseOn(session, schema),
    ...seen,
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
      return session.transaction((inside) => work({ ...databaseOn(inside, schema), ...seen }))
    },
  }
}

/** Throws `invalid_options` for a role that reaches the tables as well: it is no wall, and would seem to be one. */
export async function assertWalledIn(database: QueueDatabase): Promise<void> {
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
    `the role ${JSON.stringify(row?.name)}, with which requests of tenants are to be served, may read or write the tables ` +
      'themselves: use the role api_tenant, which migrate roles sets up',
  )
}

/** What `work` gave when it first succeeded. */
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
