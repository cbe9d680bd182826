import { type RawBuilder, sql } from 'kysely'
import { runAtMsMax } from '../domain/limits.ts'

/**
 * `clock AS (…)`: the instant `at`, read once all rows of the common table expression `locked` are locked. `now()` is
 * older than the wait for them, and the clock in the list of a locking SELECT is read before the lock.
 */
export function clockAfter(locked: string): RawBuilder<unknown> {
  return sql`clock AS MATERIALIZED (
      SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM ${sql.id(locked)}) AS locked
    )`
}

/** The `updated_at` of the job `j` after a change at the instant `at`. */
export function updatedAt(at: RawBuilder<unknown>): RawBuilder<Date> {
  return updatedSince(sql`j.updated_at`, at)
}

/**
 * The `updated_at` of a row after a change at the instant `at`. It moves by at least a millisecond, the precision of
 * `updatedAt` in code: whoever has read an older version of the row notices the change, however close the two are and
 * whichever clock was ahead.
 */
export function updatedSince(before: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`greatest(${at}, date_trunc('milliseconds', ${before}) + interval '1 millisecond')`
}

/** An instant as text in UTC, to the microsecond, which no setting of the session changes. */
export function instantText(instant: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/**
 * An instant as a parameter. Dates before 1970 and after the year 9999 count as those bounds: no stored instant lies
 * beyond them, and a timestamptz cannot hold every Date.
 */
export function instantParameter(instant: Date): RawBuilder<Date> {
  return sql`to_timestamp(${Math.min(Math.max(0, instant.getTime()), runAtMsMax)}::float8 / 1000::float8)`
}
