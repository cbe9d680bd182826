// Which jobs leave `jobs` when they succeed, and how they are found.
import { type RawBuilder, sql } from 'kysely'
import { archivedPayloadBytesMax } from '../domain/limits.ts'
import type { SchemaNames } from './schema-names.ts'

/** The smallest id of a job that was created at this instant, an SQL expression: `smallestJobIdAt` in SQL. */
export function smallestIdAt(instant: string): string {
  return `(lpad(to_hex(greatest(0, (extract(epoch FROM ${instant}) * 1000::numeric)::bigint)), 12, '0') || '70008000000000000000')::uuid`
}

/**
 * Whether the job named `alias` stays in `jobs` when it succeeds, by what its request says. Its key must stay known, its slot must be
 * found by it, or its payload is so large that writing it once more would cost more than the move saves.
 */
export function staysInJobs(alias: string): RawBuilder<boolean> {
  const row = sql.id(alias)
  return sql`(${row}.idempotency_key IS NOT NULL OR ${row}.unique_key IS NOT NULL
              OR pg_column_size(${row}.payload) > ${sql.lit(archivedPayloadBytesMax)})`
}

/**
 * `archive AS (…)`: one row with the ids that the archive takes now: from the first one of yesterday, up to the last day that was
 * made. The day of a job alone removes it later, counted from the end of the day after its own: a job that ends later than that would
 * be kept too short a time.
 */
export function archiveRange({ endedDays }: SchemaNames): RawBuilder<unknown> {
  const yesterday = "date_trunc('day', statement_timestamp() - interval '24 hours', 'UTC')"
  return sql`archive AS MATERIALIZED (
      SELECT ${sql.raw(smallestIdAt(yesterday))} AS from_id,
             (SELECT d.below_id FROM ${endedDays} AS d ORDER BY d.day DESC LIMIT 1) AS below_id
    )`
}

/**
 * The jobs with these ids, as a relation. Each is looked up by itself, in its day alone, where a comparison with the whole list would
 * read the index of every day.
 */
export function jobsByIds({ allJobs }: SchemaNames, ids: readonly string[]): RawBuilder<unknown> {
  return sql`(
        SELECT a.* FROM (SELECT DISTINCT unnest(${ids}::uuid[]) AS id) AS i
         CROSS JOIN LATERAL (SELECT a.* FROM ${allJobs} AS a WHERE a.id = i.id OFFSET 0) AS a)`
}

/** The condition that the row named `alias` has one of `ids`, an array in order. Its ends leave only the days between them to be read. */
export function isOneOf(alias: string, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  const id = sql.ref(`${alias}.id`)
  const first = sql`(${ids})[1]`
  const last = sql`(${ids})[cardinality((${ids}))]`
  return sql`${id} = ANY((${ids})::uuid[]) AND ${id} BETWEEN least(${first}, ${last}) AND greatest(${first}, ${last})`
}
