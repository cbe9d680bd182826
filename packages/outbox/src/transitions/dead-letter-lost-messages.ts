// leased → (dead letter), once the lease of the last attempt has ended. Called by any relay, for all relays.
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { deadLetterBatchMax } from '../domain/limits.ts'
import { deadLetter } from './dead-letter-messages.ts'
import { historyWith, lostError } from './history.ts'

export interface DeadLetteredMessage {
  readonly id: string
  readonly topic: string
}

/**
 * Dead-letters the messages whose relay was lost during their last attempt, up to `deadLetterBatchMax`. If it returns that many,
 * there may be more. Otherwise these messages would stay forever: without an attempt left, no claim takes them.
 */
export function deadLetterLostMessages(database: OutboxDatabase): Promise<DeadLetteredMessage[]> {
  const { names } = database
  return database.run(sql<DeadLetteredMessage>`
    WITH lost AS MATERIALIZED (
      SELECT m.* FROM ${names.messages} AS m
       WHERE m.delivered_at IS NULL AND m.last_attempt AND m.next_retry_at <= now()
       ORDER BY m.next_retry_at LIMIT ${sql.lit(deadLetterBatchMax)}
         FOR UPDATE SKIP LOCKED
    ), ${deadLetter(names, {
      from: 'lost',
      which: sql`true`,
      reason: sql`'lost'`,
      error: lostError('h'),
      history: historyWith({ row: 'h', outcome: 'lost', error: lostError('h') }),
    })}
    SELECT b.id, b.topic FROM dead_lettered AS b`)
}
