// leased → pending, or → (dead letter). Called by the relay that holds the lease, after a failed dispatch.
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { MessageLease } from '../domain/message.ts'
import { deadLetter } from './dead-letter-messages.ts'
import { historyWith } from './history.ts'
import { isHeld, leaseIds, leaseTokens, type Completion, completeMessages } from './complete-messages.ts'

export interface FailureWrite {
  readonly lease: MessageLease
  readonly error: string
  /** Milliseconds from the database's now() to the next attempt. */
  readonly waitMs: number
  /** True if no further attempt can help. */
  readonly undeliverable: boolean
}

/**
 * Records that these attempts failed. A message with attempts left waits for the next one. A message without, or one that cannot
 * be delivered at all, becomes a dead letter with its history in the same statement.
 */
export function retryOrDeadLetterMessages(
  database: OutboxDatabase,
  writes: readonly FailureWrite[],
): Promise<Completion[]> {
  const isOver = sql`(h.undeliverable OR h.last_attempt)`
  const history = historyWith({ row: 'h', outcome: 'failed', error: sql`h.error` })
  return completeMessages(database, writes, (sorted) => ({
    input: sql`unnest(${leaseIds(sorted)}::uuid[], ${leaseTokens(sorted)}::bigint[],
      ${sorted.map((write) => write.error)}::text[], ${sorted.map((write) => write.waitMs)}::float8[],
      ${sorted.map((write) => write.undeliverable)}::boolean[])
      AS i (id, lease_token, error, wait_ms, undeliverable)`,
    inputColumns: ['error', 'wait_ms', 'undeliverable'],
    change: (names) => sql`retried AS (
      UPDATE ${names.messages} AS m
         SET leased_by = NULL, leased_at = NULL, last_error = h.error, history = ${history},
             next_retry_at = now() + h.wait_ms * interval '1 millisecond'
        FROM held AS h WHERE ${isHeld} AND NOT ${isOver}
      RETURNING m.id, m.lease_token
    ), ${deadLetter(names, {
      from: 'held',
      which: isOver,
      reason: sql`CASE WHEN h.undeliverable THEN 'undeliverable' ELSE 'exhausted' END`,
      error: sql`h.error`,
      history,
    })}, ended AS (
      SELECT r.id, r.lease_token FROM retried AS r UNION ALL SELECT b.id, b.lease_token FROM dead_lettered AS b
    )`,
  }))
}
