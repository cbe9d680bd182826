// leased → pending, without charging the attempt. Called by the relay that holds the lease, if it has not dispatched the message
// or the target was unavailable.
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { MessageLease } from '../domain/message.ts'
import { isHeld, leaseIds, leaseTokens, type Completion, completeMessages } from './complete-messages.ts'

export interface ReleaseWrite {
  readonly lease: MessageLease
  /** Milliseconds from the database's now() until it may be claimed again. */
  readonly waitMs: number
  /** Why the message could not be delivered; null if it was not tried. */
  readonly error: string | null
}

/** Returns these messages as if they had not been claimed. */
export function releaseMessages(
  database: OutboxDatabase,
  writes: readonly ReleaseWrite[],
): Promise<Completion[]> {
  return completeMessages(database, writes, (sorted) => ({
    input: sql`unnest(${leaseIds(sorted)}::uuid[], ${leaseTokens(sorted)}::bigint[],
      ${sorted.map((write) => write.waitMs)}::float8[], ${sorted.map((write) => write.error)}::text[])
      AS i (id, lease_token, wait_ms, error)`,
    inputColumns: ['wait_ms', 'error'],
    change: (names) => sql`ended AS (
      UPDATE ${names.messages} AS m
         SET attempts = m.attempts - 1, last_attempt = false, leased_by = NULL, leased_at = NULL,
             next_retry_at = now() + h.wait_ms * interval '1 millisecond', last_error = coalesce(h.error, m.last_error)
        FROM held AS h WHERE ${isHeld}
      RETURNING m.id, m.lease_token
    )`,
  }))
}
