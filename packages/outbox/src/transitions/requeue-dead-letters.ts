// (dead letter) → pending. Called by an operator.
import { type AllOption, QueueError } from '@queue/core'
import { allFields, assertSelects, isJobId, parseActFilter, parseOrThrow } from '@queue/core/internal'
import { type Expression, sql, type SqlBool } from 'kysely'
import { z } from 'zod'
import { decodeStored, type StoredRow, storedSelection } from '../database/message-row.ts'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { requeueBatchMax } from '../domain/limits.ts'
import type { StoredMessage } from '../domain/message.ts'
import {
  type OutboxDeadLetterSelection,
  outboxDeadLetterSelectionSchema,
  selectionConditions,
} from '../reads/dead-letters.ts'

/** Requeues the message of one dead letter, and removes the dead letter. Throws `dead_letter_not_found`. */
export async function requeueDeadLetter(database: OutboxDatabase, id: string): Promise<StoredMessage> {
  const [message] = isJobId(id) ? await requeue(database, sql<SqlBool>`d.id = ${id}::uuid`) : []
  if (message !== undefined) return message
  throw new QueueError('dead_letter_not_found', `there is no dead letter ${JSON.stringify(id.slice(0, 64))}`)
}

const allSchema = z.strictObject(allFields)

/**
 * Requeues the messages of up to `requeueBatchMax` selected dead letters, the oldest first. If it returns that many, there may be
 * more: call it again. Throws `invalid_options`, and `selects_everything` for a selection without a condition, unless `all` is true.
 */
export async function requeueDeadLetters(
  database: OutboxDatabase,
  selection: OutboxDeadLetterSelection,
  options: AllOption = {},
): Promise<StoredMessage[]> {
  const checked = parseActFilter(outboxDeadLetterSelectionSchema, selection)
  assertSelects(checked, parseOrThrow(allSchema, options, 'invalid_options'))
  return requeue(database, selectionConditions(checked))
}

/**
 * Moves messages back into the outbox with their id, sequence, lease token and history; their attempts begin at 0. A requeued
 * message comes before the undelivered messages of its key that were published later.
 */
async function requeue(database: OutboxDatabase, conditions: Expression<SqlBool>): Promise<StoredMessage[]> {
  const { names } = database
  const rows = await database.run(sql<StoredRow>`
    WITH dead_letters AS MATERIALIZED (
      SELECT d.* FROM ${names.deadLetters} AS d WHERE ${conditions}
       ORDER BY d.dead_lettered_at, d.id LIMIT ${sql.lit(requeueBatchMax)} FOR UPDATE SKIP LOCKED
    ), removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.id = ANY(ARRAY(SELECT dead_letters.id FROM dead_letters))
    ), reborn AS (
      INSERT INTO ${names.messages}
        (id, sequence, lease_token, created_at, topic, key, payload, headers, history, last_error)
      SELECT l.id, l.sequence, l.lease_token, l.created_at, l.topic, l.key, l.payload, l.headers, l.history,
             l.last_error
        FROM dead_letters AS l ORDER BY l.sequence
      ON CONFLICT DO NOTHING
      RETURNING *
    )
    SELECT ${sql.join(storedSelection('r').map((column) => sql`${column}`))} FROM reborn AS r ORDER BY r.sequence`)
  return rows.map(decodeStored)
}
