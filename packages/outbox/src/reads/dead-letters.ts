import { type JsonValue, QueueError } from '@queue/core'
import { instantParameter, type OptionsOf, parseOrThrow } from '@queue/core/runtime'
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { decodeHeaders, decodeHistory, decodeJson } from '../database/message-row.ts'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import { topicSchema } from '../domain/message-definition.ts'
import type { DeadLetterReason, FailedAttempt } from '../domain/message.ts'
import { deadLetterReasons } from '../domain/message.ts'

/** A message that was given up, with everything needed to see why. */
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
  /**
   * The failed attempts, oldest first, the one that dead-lettered the message included; the latest `historyMax` of
   * them.
   */
  readonly history: readonly FailedAttempt[]
  readonly createdAt: Date
  readonly deadLetteredAt: Date
}

const selectionFields = {
  /** Dead letters of this topic. */
  topic: topicSchema.optional(),
  /** Dead letters of messages with this key. */
  key: z.string().optional(),
  /** Dead letters that became so for this reason. */
  reason: z.enum(deadLetterReasons).optional(),
  /** Dead-lettered at or after this instant. */
  deadLetteredAfter: z.date().optional(),
  /** Dead-lettered before this instant. */
  deadLetteredBefore: z.date().optional(),
}
export const outboxDeadLetterSelectionSchema = z.strictObject(selectionFields)

/** Which dead letters; all conditions hold at once, and none means all. */
export type OutboxDeadLetterSelection = OptionsOf<typeof selectionFields>

const pageFields = {
  /** Dead letters on one page at most, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).default(listLimitDefault),
  /** Where the page begins: the `nextCursor` of the one before. Default: at the last one. */
  cursor: z.string().optional(),
}
const filterSchema = z.strictObject({ ...selectionFields, ...pageFields })

/** Which dead letters, and which page of them. */
export type OutboxDeadLetterFilter = OutboxDeadLetterSelection & OptionsOf<typeof pageFields>

export interface OutboxDeadLetterPage {
  /** The latest first. */
  readonly deadLetters: readonly OutboxDeadLetter[]
  readonly nextCursor: string | null
}

interface DeadLetterRow {
  readonly id: string
  readonly topic: string
  readonly key: string | null
  readonly payload: string
  readonly headers: string
  readonly attempts: number
  readonly reason: DeadLetterReason
  readonly last_error: string | null
  readonly history: string
  readonly created_at: number
  readonly dead_lettered_at: number
  /** Its place in the list, in microseconds: a page must not begin one off. */
  readonly position: string
}

/** One page of dead letters. Throws `invalid_options` for a bad filter and `invalid_cursor` for a bad cursor. */
export async function listDeadLetters(
  database: OutboxDatabase,
  filter: OutboxDeadLetterFilter,
): Promise<OutboxDeadLetterPage> {
  const { limit, cursor, ...selection } = parseOrThrow(filterSchema, filter, 'invalid_options')
  const rows = await database.run(sql<DeadLetterRow>`
    SELECT ${deadLetterColumns} FROM ${database.names.deadLetters} AS d
     WHERE ${selectionConditions(selection)} AND ${cursor === undefined ? sql`true` : beforeCursor(cursor)}
     ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT ${sql.lit(limit + 1)}`)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    deadLetters: page.map(decodeDeadLetter),
    nextCursor: last === undefined ? null : Buffer.from(`${last.position} ${last.id}`).toString('base64url'),
  }
}

/** The dead letter, or undefined when there is none. */
export async function getDeadLetter(
  database: OutboxDatabase,
  id: string,
): Promise<OutboxDeadLetter | undefined> {
  const [row] = await database.run(
    sql<DeadLetterRow>`SELECT ${deadLetterColumns} FROM ${database.names.deadLetters} AS d WHERE d.id = ${id}::uuid`,
  )
  return row === undefined ? undefined : decodeDeadLetter(row)
}

/** The selection as conditions on the row named `d`. */
export function selectionConditions(
  selection: z.output<typeof outboxDeadLetterSelectionSchema>,
): RawBuilder<unknown> {
  const { topic, key, reason, deadLetteredAfter, deadLetteredBefore } = selection
  const conditions = [sql`true`]
  if (topic !== undefined) conditions.push(sql`d.topic = ${topic}`)
  if (key !== undefined) conditions.push(sql`d.key = ${key}`)
  if (reason !== undefined) conditions.push(sql`d.reason = ${reason}`)
  if (deadLetteredAfter !== undefined)
    conditions.push(sql`d.dead_lettered_at >= ${instantParameter(deadLetteredAfter)}`)
  if (deadLetteredBefore !== undefined)
    conditions.push(sql`d.dead_lettered_at < ${instantParameter(deadLetteredBefore)}`)
  return sql.join(conditions, sql` AND `)
}

const deadLetterColumns = sql`d.id, d.topic, d.key, d.payload::text AS payload, d.headers::text AS headers, d.attempts,
  d.reason, d.last_error, d.history::text AS history, ${epochMs(sql`d.created_at`)} AS created_at,
  ${epochMs(sql`d.dead_lettered_at`)} AS dead_lettered_at, (extract(epoch FROM d.dead_lettered_at) * 1000000)::bigint::text AS position`

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

function beforeCursor(cursor: string): RawBuilder<unknown> {
  const [, micros, id] = cursorPattern.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (micros === undefined || id === undefined)
    throw new QueueError('invalid_cursor', 'the cursor is not one that a list has returned')
  const instant = sql`'1970-01-01 00:00:00+00'::timestamptz + ${micros}::bigint * interval '1 microsecond'`
  return sql`(d.dead_lettered_at, d.id) < (${instant}, ${id}::uuid)`
}
