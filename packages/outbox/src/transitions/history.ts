// The history entry that every statement writes which ends an attempt without a delivery.
import { type RawBuilder, sql } from 'kysely'
import { historyErrorLengthMax, historyMax } from '../domain/limits.ts'

export interface EndedAttempt {
  /** The alias of the held row, with the columns history, attempts, lease_token, leased_by and leased_at. */
  readonly row: string
  readonly outcome: 'failed' | 'lost'
  readonly error: RawBuilder<unknown>
}

/** The history of a message with this attempt appended, and without the oldest attempt if it exceeds `historyMax`. */
export function historyWith({ row, outcome, error }: EndedAttempt): RawBuilder<unknown> {
  const at = sql.id(row)
  const history = sql`coalesce(${at}.history, '[]'::jsonb)`
  const latest = sql`CASE WHEN jsonb_array_length(${history}) >= ${sql.lit(historyMax)} THEN ${history} - 0 ELSE ${history} END`
  return sql`${latest} || jsonb_build_array(jsonb_build_object(
      'attempt', ${at}.attempts, 'lease_token', ${at}.lease_token, 'worker_id', ${at}.leased_by,
      'started_at', ${at}.leased_at, 'ended_at', greatest(now(), ${at}.leased_at), 'outcome', ${sql.lit(outcome)}::text,
      'error', left(${error}, ${sql.lit(historyErrorLengthMax)})))`
}

/** The error text of an attempt whose relay was lost. */
export function lostError(row: string): RawBuilder<unknown> {
  return sql`'the relay ' || ${sql.id(row)}.leased_by || ' did not come back before its lease ended'`
}
