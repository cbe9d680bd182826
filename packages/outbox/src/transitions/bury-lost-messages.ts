// leased → (dead letter), once the lease of the last attempt has ended. Called by any relay, for all.
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { buryBatchMax } from '../domain/limits.ts'
import { bury } from './bury.ts'
import { historyWith, lostError } from './history.ts'

export interface BuriedMessage {
  readonly id: string
  readonly topic: string
}

/**
 * Buries what relays were lost with during its last attempt, up to `buryBatchMax`; a full answer means that there may
 * be more. Without it such a message would never be seen again: it has no attempt left to be claimed for.
 */
export function buryLostMessages(database: OutboxDatabase): Promise<BuriedMessage[]> {
  const { names } = database
  return database.run(sql<BuriedMessage>`
    WITH lost AS MATERIALIZED (
      SELECT m.* FROM ${names.messages} AS m
       WHERE m.delivered_at IS NULL AND m.last_attempt AND m.next_retry_at <= now()
       ORDER BY m.next_retry_at LIMIT ${sql.lit(buryBatchMax)}
         FOR UPDATE SKIP LOCKED
    ), ${bury(names, {
      from: 'lost',
      which: sql`true`,
      reason: sql`'lost'`,
      error: lostError('h'),
      history: historyWith({ row: 'h', outcome: 'lost', error: lostError('h') }),
    })}
    SELECT b.id, b.topic FROM buried AS b`)
}
