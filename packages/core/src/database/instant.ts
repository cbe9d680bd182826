import { type RawBuilder, sql } from 'kysely'
import { runAtMsMax } from '../domain/limits.ts'

/**
 * An instant as a parameter. Dates before 1970 and after the year 9999 count as the nearest one between: nothing of
 * ours lies beyond, and a timestamptz does not hold every Date.
 */
export function instantParameter(instant: Date): RawBuilder<Date> {
  return sql`to_timestamp(${Math.min(Math.max(0, instant.getTime()), runAtMsMax)}::float8 / 1000)`
}
