// (nothing) → pending. Called by a service, in the same transaction as its business change.
import { type RawBuilder, sql } from 'kysely'
import { callerIsInside, nulls, orNull } from '@queue/postgres'
import { type CallerOutbox, type OutboxDatabase, outboxChannel } from '../database/outbox-database.ts'
import type { MessageRequest } from '../domain/message.ts'

/** A message with its future id. */
export interface IdentifiedMessage extends MessageRequest {
  readonly id: string
}

/**
 * Writes the messages in one statement, with sequence numbers in the given order. With `notify` it also notifies the relays, once
 * per topic and not per message, because the caller's commit sends notifications under a lock that the whole database shares.
 * Outside of a transaction it writes nothing and throws `invalid_options`.
 */
export async function publishMessages(
  database: CallerOutbox,
  messages: readonly IdentifiedMessage[],
  { notify }: { readonly notify: boolean },
): Promise<void> {
  if (messages.length === 0) return
  const topics = notify ? [...new Set(messages.map((message) => message.topic))] : []
  await database.write(
    (transactionId) => sql`
    WITH ${callerIsInside(sql.val(transactionId))}, published AS (${insertInside(database, messages)}
    ), told AS MATERIALIZED (
      SELECT pg_notify(${outboxChannel(database.schema)}, topic)
        FROM caller CROSS JOIN unnest(${topics}::text[]) AS topic WHERE caller.is_inside
    )
    SELECT (SELECT count(*) FROM told) AS told FROM caller WHERE caller.is_inside`,
  )
}

function insertInside(
  { names }: OutboxDatabase,
  messages: readonly IdentifiedMessage[],
): RawBuilder<unknown> {
  const column = <Value>(read: (message: IdentifiedMessage) => Value): Value[] => messages.map(read)
  return sql`
      INSERT INTO ${names.messages} (id, topic, key, payload, headers)
      SELECT i.id, i.topic, ${orNull(sql`i.key`, 'text')}, i.payload::jsonb, i.headers::jsonb
        FROM caller
       CROSS JOIN unnest(${column((message) => message.id)}::uuid[], ${column((message) => message.topic)}::text[],
               ${column((message) => message.key ?? nulls.text)}::text[], ${column((message) => message.payloadText)}::text[],
               ${column((message) => JSON.stringify(message.headers))}::text[])
             WITH ORDINALITY AS i (id, topic, key, payload, headers, place)
       WHERE caller.is_inside ORDER BY i.place`
}
