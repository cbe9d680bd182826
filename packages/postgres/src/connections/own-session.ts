// Sessions that belong to us alone, and can therefore have settings.
import type pg from 'pg'
import { limitedByServer, queryWithin, serverLimitMs } from './timed-query.ts'

export interface OwnSession {
  /** How long the statement that sets the session up may take. */
  readonly timeoutMs: number
  /** After how long the server ends any other statement. */
  readonly statementTimeoutMs: number
}

/**
 * Sets up a session of ours. The server ends its statements when they take too long, even if this process has died or is
 * cut off. It plans by indexes wherever there is one, because a kept plan must not depend on how full the tables were when
 * it was made. JIT is off because, before PostgreSQL 18, that setting makes a necessary table scan look so expensive that it
 * would be compiled. Rejects when there is no answer in time.
 */
export async function beginOwnSession(
  client: pg.ClientBase,
  { timeoutMs, statementTimeoutMs }: OwnSession,
): Promise<void> {
  // 0 would mean no limit.
  const limit = Math.max(1, Math.round(statementTimeoutMs))
  const text = `SET enable_seqscan = off; SET jit = off; SET statement_timeout = ${limit}`
  await queryWithin(client, { text }, timeoutMs)
  limitedByServer(client, limit)
}

/** The same for a session that another user of the pool has reset. */
export async function restoreOwnSession(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  await beginOwnSession(client, { timeoutMs, statementTimeoutMs: serverLimitMs(client) ?? timeoutMs })
}
