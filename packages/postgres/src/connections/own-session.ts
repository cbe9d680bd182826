// Sessions that nobody but us has, which can have settings therefore.
import type pg from 'pg'
import { limitedByServer, queryWithin, serverLimitMs } from './timed-query.ts'

export interface OwnSession {
  /** How long the first statement, which makes the session what it is, may take. */
  readonly timeoutMs: number
  /** How long the server is to let any other take. */
  readonly statementTimeoutMs: number
}

/**
 * Makes a connection end its statements itself when they take too long, also when we have died or are not heard, and
 * plan by indexes wherever there is one: a plan that is kept must not depend on how full the tables were when it was
 * made. Before PostgreSQL 18 the scan of a table that has no index to go by counts as so dear then that it would be
 * compiled. Rejects when there is no answer in time.
 */
export async function beginOwnSession(
  client: pg.ClientBase,
  { timeoutMs, statementTimeoutMs }: OwnSession,
): Promise<void> {
  // 0 would be none at all.
  const limit = Math.max(1, Math.round(statementTimeoutMs))
  const text = `SET enable_seqscan = off; SET jit = off; SET statement_timeout = ${limit}`
  await queryWithin(client, { text }, timeoutMs)
  limitedByServer(client, limit)
}

/** The same once more, for a session that somebody has reset. */
export async function beginAnew(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  await beginOwnSession(client, { timeoutMs, statementTimeoutMs: serverLimitMs(client) ?? timeoutMs })
}
