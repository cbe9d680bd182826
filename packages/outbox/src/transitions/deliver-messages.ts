// leased → delivered. Called by the relay that holds the lease, once the target has accepted the message.
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { MessageLease } from '../domain/message.ts'
import { isHeld, leaseInput, type Completion, completeMessages } from './complete-messages.ts'

/** Records that these messages were delivered. */
export function deliverMessages(
  database: OutboxDatabase,
  leases: readonly MessageLease[],
): Promise<Completion[]> {
  const writes = leases.map((lease) => ({ lease }))
  return completeMessages(database, writes, (sorted) => ({
    input: leaseInput(sorted),
    inputColumns: [],
    change: (names) => sql`ended AS (
      UPDATE ${names.messages} AS m
         SET delivered_at = now(), last_attempt = false, leased_by = NULL, leased_at = NULL
        FROM held AS h WHERE ${isHeld}
      RETURNING m.id, m.lease_token
    )`,
  }))
}
