import { type RawBuilder, sql } from 'kysely'
import { runAtMsMax } from '../domain/limits.ts'

/** An instant as text in UTC, to the microsecond, which no setting of the session changes. */
export function instantText(instant: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/**
 * An instant as a parameter. Dates before 1970 and after the year 9999 count as those bounds: no stored instant lies
 * beyond them, and a timestamptz cannot hold every Date.
 */
export function instantParameter(instant: Date): RawBuilder<Date> {
  return sql`to_timestamp(${Math.min(Math.max(0, instant.getTime()), runAtMsMax)}::float8 / 1000)`
}
