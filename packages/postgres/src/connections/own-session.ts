// Sessions that only the queue uses, so that it can change their settings.
import type pg from 'pg'
import { limitedByServer, queryWithin, serverLimitMs } from './timed-query.ts'

export interface OwnSession {
  /** The time limit of the statement that sets up the session. */
  readonly timeoutMs: number
  /** The time after which the server ends any other statement. */
  readonly statementTimeoutMs: number
}

/**
 * Sets up a session. The server ends its statements when they take too long, even if this process has died or lost its
 * connection. The planner avoids sequential scans, because the plan of a prepared statement must not depend on how full the
 * tables were when it was made. JIT is off because, before PostgreSQL 18, this setting makes a necessary table scan look so
 * expensive that it would be compiled. The search path has no schema in which others may create a function or an operator that
 * fits the arguments of a statement better than PostgreSQL's own: it would run with the rights of this session. Prepared statements
 * keep their plans, only a statement that sets a lock timeout has one, and a session that waits for work is not ended, whatever the
 * role or the server say. No other setting matters: values are sent and returned in forms that none of them changes. Rejects if there is no answer in time.
 */
export async function beginOwnSession(
  client: pg.ClientBase,
  { timeoutMs, statementTimeoutMs }: OwnSession,
): Promise<void> {
  // 0 would disable the limit.
  const limit = Math.max(1, Math.round(statementTimeoutMs))
  const text =
    'SET search_path = pg_catalog, pg_temp; SET enable_seqscan = off; SET jit = off; ' +
    'SET plan_cache_mode = auto; SET lock_timeout = 0; SET idle_session_timeout = 0; ' +
    `SET statement_timeout = ${limit}`
  await queryWithin(client, { text }, timeoutMs)
  limitedByServer(client, limit)
}

/** Sets up a session again that another user of the pool has reset. */
export async function restoreOwnSession(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  await beginOwnSession(client, { timeoutMs, statementTimeoutMs: serverLimitMs(client) ?? timeoutMs })
}
