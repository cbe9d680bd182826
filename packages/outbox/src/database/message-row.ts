import type { JsonValue } from '@queue/core'
import { asText, epochMs, type Numeric } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { ClaimedMessage, FailedAttempt, StoredMessage } from '../domain/message.ts'

/** The columns of a message that a claim returns. */
export interface ClaimedRow {
  readonly id: string
  readonly lease_token: string
  readonly topic: string
  readonly key: string | null
  readonly payload: string
  readonly headers: string
  readonly attempts: number
  readonly last_attempt: boolean
  readonly created_at: number
}

/** The columns of a `ClaimedRow`, read from the row named `alias`. */
export function claimedColumns(alias: string): RawBuilder<unknown> {
  const at = sql.id(alias)
  return sql`${at}.id, ${at}.lease_token::text AS lease_token, ${at}.topic, ${at}.key, ${at}.payload::text AS payload,
    ${at}.headers::text AS headers, ${at}.attempts, ${at}.last_attempt, ${epochMs(sql`${at}.created_at`)} AS created_at`
}

/** The claimed message of a row. Never throws, because one unexpected row must not fail a whole claim. */
export function decodeClaimed(row: ClaimedRow): ClaimedMessage {
  return {
    lease: { id: row.id, token: Number(row.lease_token) },
    id: row.id,
    topic: row.topic,
    key: row.key,
    payload: decodeJson(row.payload),
    headers: decodeHeaders(row.headers),
    attempt: row.attempts,
    lastAttempt: row.last_attempt,
    createdAt: new Date(row.created_at),
  }
}

/** A message as reads return it. */
export interface StoredRow {
  readonly id: string
  readonly topic: string
  readonly key: string | null
  readonly payload: string
  readonly headers: string
  readonly attempts: Numeric
  readonly leased_by: string | null
  readonly next_retry_at: Numeric
  readonly delivered_at: Numeric | null
  readonly last_error: string | null
  readonly created_at: Numeric
  readonly history: string | null
}

/** The columns of a `StoredRow`, read from the row named `alias`: for the builder, and for `sql.join`. */
export function storedSelection(alias: string) {
  const column = <Value>(name: keyof StoredRow) => sql.ref<Value>(`${alias}.${name}`)
  return [
    column<string>('id').as('id'),
    column<string>('topic').as('topic'),
    column<string | null>('key').as('key'),
    asText(column<object>('payload')).as('payload'),
    asText(column<object>('headers')).as('headers'),
    column<number>('attempts').as('attempts'),
    column<string | null>('leased_by').as('leased_by'),
    epochMs(column<Date>('next_retry_at')).as('next_retry_at'),
    epochMs(column<Date | null>('delivered_at')).as('delivered_at'),
    column<string | null>('last_error').as('last_error'),
    epochMs(column<Date>('created_at')).as('created_at'),
    asText(column<object | null>('history')).as('history'),
  ] as const
}

export function decodeStored(row: StoredRow): StoredMessage {
  return {
    id: row.id,
    topic: row.topic,
    key: row.key,
    payload: decodeJson(row.payload),
    headers: decodeHeaders(row.headers),
    attempts: Number(row.attempts),
    leasedBy: row.leased_by === '' ? null : row.leased_by,
    nextRetryAt: new Date(Number(row.next_retry_at)),
    deliveredAt: row.delivered_at === null ? null : new Date(Number(row.delivered_at)),
    lastError: row.last_error,
    createdAt: new Date(Number(row.created_at)),
    history: decodeHistory(row.history),
  }
}

/** jsonb prints only valid JSON, so parsing its text does not fail. */
export function decodeJson(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}

/** A header that is not a text, because it was written by hand, is converted to its JSON text. */
export function decodeHeaders(text: string): Readonly<Record<string, string>> {
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

/** A failed attempt in the form that the statements write. */
interface RecordedAttempt {
  readonly attempt: number
  readonly lease_token: number
  readonly worker_id: string
  readonly started_at: string
  readonly ended_at: string
  readonly outcome: FailedAttempt['outcome']
  readonly error: string
}

export function decodeHistory(text: string | null): FailedAttempt[] {
  return ((text === null ? [] : JSON.parse(text)) as RecordedAttempt[]).map((recorded) => ({
    attempt: recorded.attempt,
    leaseToken: recorded.lease_token,
    workerId: recorded.worker_id,
    startedAt: new Date(recorded.started_at),
    endedAt: new Date(recorded.ended_at),
    outcome: recorded.outcome,
    error: recorded.error,
  }))
}
