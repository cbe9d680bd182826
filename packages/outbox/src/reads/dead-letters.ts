import { type JsonValue, QueueError } from '@queue/core'
import { instantParameter, type OptionsOf, parseOrThrow } from '@queue/core/internal'
import { asText, epochMs } from '@queue/postgres'
import {
  type Expression,
  expressionBuilder,
  type InferResult,
  type RawBuilder,
  sql,
  type SqlBool,
} from 'kysely'
import { z } from 'zod'
import { decodeHeaders, decodeHistory, decodeJson } from '../database/message-row.ts'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { OutboxTables } from '../database/tables.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import { topicSchema } from '../domain/message-definition.ts'
import type { DeadLetterReason, FailedAttempt } from '../domain/message.ts'
import { deadLetterReasons } from '../domain/message.ts'

/** A message that could not be delivered, with everything needed to see why. */
export interface OutboxDeadLetter {
  /** The message's own id. */
  readonly id: string
  readonly topic: string
  readonly key: string | null
  readonly payload: JsonValue
  readonly headers: Readonly<Record<string, string>>
  readonly attempts: number
  readonly reason: DeadLetterReason
  readonly lastError: string | null
  /** The latest `historyMax` failed attempts, oldest first, including the attempt that dead-lettered the message. */
  readonly history: readonly FailedAttempt[]
  readonly createdAt: Date
  readonly deadLetteredAt: Date
}

const selectionFields = {
  /** Dead letters of this topic. */
  topic: topicSchema.optional(),
  /** Dead letters of messages with this key. */
  key: z.string().optional(),
  /** Dead letters with this reason. */
  reason: z.enum(deadLetterReasons).optional(),
  /** Dead-lettered at or after this instant. */
  deadLetteredAfter: z.date().optional(),
  /** Dead-lettered before this instant. */
  deadLetteredBefore: z.date().optional(),
}
export const outboxDeadLetterSelectionSchema = z.strictObject(selectionFields)

/** Selects dead letters that satisfy all conditions; without a condition, all of them. */
export type OutboxDeadLetterSelection = OptionsOf<typeof selectionFields>

const pageFields = {
  /** The most dead letters on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).default(listLimitDefault),
  /** The beginning of the page: the `nextCursor` of the previous page. Default: the latest dead letter. */
  cursor: z.string().optional(),
}
const filterSchema = z.strictObject({ ...selectionFields, ...pageFields })

/** Selects dead letters, and a page of them. */
export type OutboxDeadLetterFilter = OutboxDeadLetterSelection & OptionsOf<typeof pageFields>

export interface OutboxDeadLetterPage {
  /** The latest first. */
  readonly deadLetters: readonly OutboxDeadLetter[]
  readonly nextCursor: string | null
}

/** One page of dead letters. Throws `invalid_options` for an invalid filter and `invalid_cursor` for an invalid cursor. */
export async function listDeadLetters(
  database: OutboxDatabase,
  filter: OutboxDeadLetterFilter,
): Promise<OutboxDeadLetterPage> {
  const { limit, cursor, ...selection } = parseOrThrow(filterSchema, filter, 'invalid_options')
  let statement = deadLettersOf(database)
    .where(selectionConditions(selection))
    .orderBy('d.dead_lettered_at', 'desc')
    .orderBy('d.id', 'desc')
    .limit(sql.lit(limit + 1))
  if (cursor !== undefined) statement = statement.where(beforeCursor(cursor))
  const rows = await database.run(statement)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    deadLetters: page.map(decodeDeadLetter),
    nextCursor: last === undefined ? null : Buffer.from(`${last.position} ${last.id}`).toString('base64url'),
  }
}

/** The dead letter; undefined if there is none. */
export async function getDeadLetter(
  database: OutboxDatabase,
  id: string,
): Promise<OutboxDeadLetter | undefined> {
  const [row] = await database.run(deadLettersOf(database).where('d.id', '=', id))
  return row === undefined ? undefined : decodeDeadLetter(row)
}

/** The selection as conditions on the row named `d`. */
export function selectionConditions(
  selection: z.output<typeof outboxDeadLetterSelectionSchema>,
): Expression<SqlBool> {
  const { topic, key, reason, deadLetteredAfter, deadLetteredBefore } = selection
  const eb = expressionBuilder<{ readonly d: OutboxTables['outbox_dead_letters'] }, 'd'>()
  const conditions: Expression<SqlBool>[] = [eb.lit(true)]
  if (topic !== undefined) conditions.push(eb('d.topic', '=', topic))
  if (key !== undefined) conditions.push(eb('d.key', '=', key))
  if (reason !== undefined) conditions.push(eb('d.reason', '=', reason))
  if (deadLetteredAfter !== undefined)
    conditions.push(eb('d.dead_lettered_at', '>=', instantParameter(deadLetteredAfter)))
  if (deadLetteredBefore !== undefined)
    conditions.push(eb('d.dead_lettered_at', '<', instantParameter(deadLetteredBefore)))
  return eb.and(conditions)
}

function deadLettersOf({ names }: OutboxDatabase) {
  return names.db
    .selectFrom('outbox_dead_letters as d')
    .select(['d.id', 'd.topic', 'd.key', 'd.attempts', 'd.reason', 'd.last_error'])
    .select(({ ref }) => [
      asText(ref('d.payload')).as('payload'),
      asText(ref('d.headers')).as('headers'),
      asText(ref('d.history')).as('history'),
      epochMs(ref('d.created_at')).as('created_at'),
      epochMs(ref('d.dead_lettered_at')).as('dead_lettered_at'),
      // The position in the list, in microseconds. Milliseconds would be too coarse to begin a page exactly.
      sql<string>`(extract(epoch FROM d.dead_lettered_at) * 1000000::numeric)::bigint::text`.as('position'),
    ])
}

type DeadLetterRow = InferResult<ReturnType<typeof deadLettersOf>>[number]

function decodeDeadLetter(row: DeadLetterRow): OutboxDeadLetter {
  return {
    id: row.id,
    topic: row.topic,
    key: row.key,
    payload: decodeJson(row.payload),
    headers: decodeHeaders(row.headers),
    attempts: row.attempts,
    reason: row.reason,
    lastError: row.last_error,
    history: decodeHistory(row.history),
    createdAt: new Date(row.created_at),
    deadLetteredAt: new Date(row.dead_lettered_at),
  }
}

const cursorPattern = /^(\d{1,17}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

function beforeCursor(cursor: string): RawBuilder<SqlBool> {
  const [, micros, id] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (micros === undefined || id === undefined)
    throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
  const instant = sql`'1970-01-01 00:00:00+00'::timestamptz + ${micros}::float8 * interval '1 microsecond'`
  return sql`(d.dead_lettered_at, d.id) < (${instant}, ${id}::uuid)`
}
