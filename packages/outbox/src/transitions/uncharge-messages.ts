// leased → leased, without charging the attempt. Called by the relay that holds the lease, when it stops while a dispatch of a
// message with a key goes on: until the lease ends, no other message of the key may be dispatched.
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { MessageLease } from '../domain/message.ts'
import { isHeld, leaseIds, leaseTokens, type Completion, completeMessages } from './complete-messages.ts'

export interface UnchargeWrite {
  readonly lease: MessageLease
  /** The number of the attempt that is not to count. */
  readonly attempt: number
}

/**
 * Takes the charge of these attempts back, and keeps the leases, for no relay: `leased_by` becomes the empty text, so the next
 * claim reports no lost attempt. May be repeated, because the number that is written is absolute.
 */
export function unchargeMessages(
  database: OutboxDatabase,
  writes: readonly UnchargeWrite[],
): Promise<Completion[]> {
  return completeMessages(database, writes, (sorted) => ({
    input: sql`unnest(${leaseIds(sorted)}::uuid[], ${leaseTokens(sorted)}::bigint[],
      ${sorted.map((write) => write.attempt)}::int[]) AS i (id, lease_token, attempt)`,
    inputColumns: ['attempt'],
    change: (names) => sql`ended AS (
      UPDATE ${names.messages} AS m
         SET attempts = h.attempt - 1, last_attempt = false, leased_by = ''
        FROM held AS h WHERE ${isHeld}
      RETURNING m.id, m.lease_token
    )`,
  }))
}
