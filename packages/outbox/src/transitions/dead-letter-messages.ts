// The part of a statement that moves messages into the dead letters.
import { type RawBuilder, sql } from 'kysely'
import type { OutboxNames } from '../database/outbox-database.ts'

export interface DeadLettering {
  /** The name of the preceding part that has locked the messages and returns all of their columns. */
  readonly from: string
  /** The condition that selects messages from it; `h` is the row. */
  readonly which: RawBuilder<unknown>
  readonly reason: RawBuilder<unknown>
  readonly error: RawBuilder<unknown>
  readonly history: RawBuilder<unknown>
}

/**
 * The parts `gone` and `dead_lettered`: the messages leave one table and enter the other. If the same message already has a dead
 * letter, which can only have been inserted by hand, it is replaced.
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
