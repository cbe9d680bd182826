// What a statement that moves jobs tells the next claim: that some wait in a lane, and that some are no longer counted.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from './schema-names.ts'

/**
 * An event for each lane and instant at which jobs with a key wait: those that `written`, a part of the same statement, has
 * returned. Events are only ever added, so that nobody waits for anybody here.
 */
export function noteWaiting(names: SchemaNames, written: string, dueAt = 'run_at'): RawBuilder<unknown> {
  return sql`noted AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, priority)
      SELECT DISTINCT ${sql.ref(`w.${dueAt}`)}, w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
        FROM ${sql.id(written)} AS w WHERE w.key IS NOT NULL
    )`
}

/** What names the lane of a job `j`. */
export const laneColumns = sql`j.queue, j.kind, j.key, j.tenant_id, j.priority`

/**
 * An event for each lane in which jobs no longer wait: the next of their key may be another one. The rows of `left` have the
 * columns that name a lane.
 */
export function noteLeft(names: SchemaNames, left: string): RawBuilder<unknown> {
  return sql`noted_left AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, priority)
      SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
        FROM ${sql.id(left)} AS w WHERE w.key IS NOT NULL
    )`
}

/**
 * The same of the attempts that `ended` has returned: its rows have `laneColumns` of the job, its state and `run_at` as they are
 * now, and `counted` as it was.
 */
export function noteEnded(names: SchemaNames): RawBuilder<unknown> {
  return sql`noted AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, priority, counted, jobs)
      SELECT statement_timestamp(), c.*, count(*) FROM (
        SELECT h.queue, h.kind, CASE WHEN h.counted & 4 <> 0 THEN h.key END AS key,
               CASE WHEN h.counted & 4 <> 0 THEN coalesce(h.tenant_id, '') ELSE '' END AS tenant_id, NULL::smallint, h.counted
          FROM ended AS h WHERE h.counted IS NOT NULL
      ) AS c GROUP BY 2, 3, 4, 5, 6, 7
      UNION ALL
      SELECT DISTINCT h.run_at, h.queue, h.kind, h.key, coalesce(h.tenant_id, ''), h.priority, NULL::smallint, 0
        FROM ended AS h
       WHERE h.key IS NOT NULL AND h.status IN (${names.status.queued}, ${names.status.retrying})
    )`
}
