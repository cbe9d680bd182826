import { type RawBuilder, sql } from 'kysely'
import { runAtMsMax } from '../domain/limits.ts'

/**
 * An instant as a parameter. Dates before 1970 and after the year 9999 count as those bounds: no stored instant lies
 * beyond them, and a timestamptz cannot hold every Date.
 */
export function instantParameter(instant: Date): RawBuilder<Date> {
  return sql`to_timestamp(${Math.min(Math.max(0, instant.getTime()), runAtMsMax)}::float8 / 1000)`
}
