// The move of messages into the dead letters, as a part of the statements that give them up.
import { type RawBuilder, sql } from 'kysely'
import type { OutboxNames } from '../database/outbox-database.ts'

export interface DeadLettering {
  /** The statement above that has locked the messages, with all of their columns. */
  readonly from: string
  /** Which of them; `h` is the row. */
  readonly which: RawBuilder<unknown>
  readonly reason: RawBuilder<unknown>
  readonly error: RawBuilder<unknown>
  readonly history: RawBuilder<unknown>
}

/**
 * `gone` and `dead_lettered`: the messages leave one table and enter the other. A dead letter of an earlier life of the
 * same message can only be one that somebody has put there by hand, and is replaced.
 */
export function deadLetter(
  names: OutboxNames,
  { from, which, reason, error, history }: DeadLettering,
): RawBuilder<unknown> {
  const source = sql.id(from)
  return sql`gone AS (
      DELETE FROM ${names.messages} AS m
       WHERE m.id = ANY(ARRAY(SELECT h.id FROM ${source} AS h WHERE ${which}))
      RETURNING m.id
    ), dead_lettered AS (
      INSERT INTO ${names.deadLetters} AS d
        (id, sequence, lease_token, created_at, dead_lettered_at, attempts, reason, topic, key, payload, headers, history,
         last_error)
      SELECT h.id, h.sequence, h.lease_token, h.created_at, now(), h.attempts, ${reason}, h.topic, h.key, h.payload,
             h.headers, ${history}, ${error}
        FROM ${source} AS h WHERE ${which} ORDER BY h.id
      ON CONFLICT (id) DO UPDATE SET
        lease_token = EXCLUDED.lease_token, dead_lettered_at = EXCLUDED.dead_lettered_at, attempts = EXCLUDED.attempts,
        reason = EXCLUDED.reason, history = EXCLUDED.history, last_error = EXCLUDED.last_error
      RETURNING d.id, d.lease_token, d.topic
    )`
}
