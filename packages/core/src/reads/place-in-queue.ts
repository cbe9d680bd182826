// How many jobs a claim would take before a given one. Used to estimate when it starts, and to explain why it has not.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from '../database/schema-names.ts'
import { fromBothWaitingIndexes } from '../database/waiting-jobs.ts'
import { placeMax } from '../domain/limits.ts'

/**
 * How many waiting jobs of the queue come before the one named `alias` in the order of the claim: by priority, due time
 * and id. Jobs of a more urgent priority count if they are due by the time that it is. The count stops at one more than
 * `placeMax`. It reads the two indexes of waiting jobs, in one part for each priority.
 */
export function jobsBefore({ jobs, status }: SchemaNames, alias: string): RawBuilder<number> {
  const own = (name: string) => sql.ref(`${alias}.${name}`)
  const limit = sql.lit(placeMax + 1)
  const waiting = sql`b.status IN (${status.queued}, ${status.retrying}) AND b.queue = ${own('queue')}`
  return sql<number>`(
    SELECT count(*)::integer FROM (
      (SELECT FROM generate_series(0, ${own('priority')} - 1) AS p (priority) CROSS JOIN LATERAL (${fromBothWaitingIndexes(
        'b',
        (ofIndex) => sql`
         SELECT FROM ${jobs} AS b
          WHERE ${waiting} AND ${ofIndex} AND b.priority = p.priority::smallint AND b.run_at <= greatest(${own('run_at')}, now())
          ORDER BY b.run_at, b.id LIMIT ${limit}`,
      )}) AS higher LIMIT ${limit})
      UNION ALL
      ${fromBothWaitingIndexes(
        'b',
        (ofIndex) => sql`
        SELECT FROM ${jobs} AS b
        WHERE ${waiting} AND ${ofIndex} AND b.priority = ${own('priority')} AND (b.run_at, b.id) < (${own('run_at')}, ${own('id')})
        ORDER BY b.run_at, b.id LIMIT ${limit}`,
      )}
      LIMIT ${limit}) AS before)`
}
