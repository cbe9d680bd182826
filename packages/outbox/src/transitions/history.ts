// What every statement that ends an attempt without delivery writes down of it.
import { type RawBuilder, sql } from 'kysely'
import { historyErrorLengthMax, historyMax } from '../domain/limits.ts'

export interface EndedAttempt {
  /** The row as it was held, by an alias that has history, attempts, lease_token, leased_by and leased_at. */
  readonly row: string
  readonly outcome: 'failed' | 'lost'
  readonly error: RawBuilder<unknown>
}

/** The history of a message with this attempt at its end, the oldest beyond `historyMax` left out. */
export function historyWith({ row, outcome, error }: EndedAttempt): RawBuilder<unknown> {
  const at = sql.id(row)
  const known = sql`coalesce(${at}.history, '[]'::jsonb)`
  const kept = sql`CASE WHEN jsonb_array_length(${known}) >= ${sql.lit(historyMax)} THEN ${known} - 0 ELSE ${known} END`
  return sql`${kept} || jsonb_build_array(jsonb_build_object(
      'attempt', ${at}.attempts, 'lease_token', ${at}.lease_token, 'worker_id', ${at}.leased_by,
      'started_at', ${at}.leased_at, 'ended_at', greatest(now(), ${at}.leased_at), 'outcome', ${sql.lit(outcome)}::text,
      'error', left(${error}, ${sql.lit(historyErrorLengthMax)})))`
}

/** What is said of an attempt whose relay did not come back. */
export function lostError(row: string): RawBuilder<unknown> {
  return sql`'the relay ' || ${sql.id(row)}.leased_by || ' did not come back before its lease ended'`
}
