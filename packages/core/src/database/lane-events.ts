// Events that a statement on jobs writes for the next claim: jobs wait in a lane, have left one, or are no longer
// counted.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from './schema-names.ts'

/**
 * An event for each lane and instant at which jobs with a key wait: the jobs that `written`, a part of the same
 * statement, returned. Events are only inserted, so that no transaction waits for another here.
 */
export function writeWaitingEvents(
  names: SchemaNames,
  written: string,
  dueAt = 'run_at',
): RawBuilder<unknown> {
  return sql`noted AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, priority)
      SELECT DISTINCT ${sql.ref(`w.${dueAt}`)}, w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
        FROM ${sql.id(written)} AS w WHERE w.key IS NOT NULL
    )`
}

/** The columns that identify the lane of a job `j`. */
export const laneColumns = sql`j.queue, j.kind, j.key, j.tenant_id, j.priority`

/**
 * An event for each lane that jobs have left, because another job of the key may now be the next. The rows of `left`
 * have the columns that identify a lane.
 */
export function writeLeftLaneEvents(names: SchemaNames, left: string): RawBuilder<unknown> {
  return sql`noted_left AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, priority)
      SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
        FROM ${sql.id(left)} AS w WHERE w.key IS NOT NULL
    )`
}

/**
 * `removed_events AS (…)`: removes the events of the starts to come of the jobs that `gone`, a part of the same statement,
 * returned, unless another job of the lane waits for the same instant. Such an event would name the key until then.
 */
export function removedUpcomingEvents(names: SchemaNames, gone: string): RawBuilder<unknown> {
  return sql`removed_events AS (
      DELETE FROM ${names.laneEvents} AS e WHERE e.ctid = ANY(ARRAY(
        SELECT u.ctid FROM (
          SELECT DISTINCT g.queue, g.kind, g.key, coalesce(g.tenant_id, '') AS tenant_id, g.priority, g.run_at
            FROM ${sql.id(gone)} AS g WHERE g.key IS NOT NULL AND g.run_at > statement_timestamp()
        ) AS g CROSS JOIN LATERAL (
          SELECT e.ctid FROM ${names.laneEvents} AS e
           WHERE e.queue = g.queue AND e.due_at = g.run_at AND e.key = g.key AND e.tenant_id = g.tenant_id
             AND e.kind = g.kind AND e.priority = g.priority
             AND ${isSuperfluous(names, sql`AND o.id <> ALL(ARRAY(SELECT gone.id FROM ${sql.id(gone)} AS gone))`)}
        ) AS u))
    )`
}

/**
 * Whether the event `e`, which is not due yet, opens a lane for no job. An event that a claim or a limit has written has
 * a count or no priority.
 */
export function isSuperfluous(names: SchemaNames, andOther: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`e.counted IS NULL AND e.priority IS NOT NULL AND e.due_at > statement_timestamp() AND NOT EXISTS (
               SELECT FROM ${names.jobs} AS o
                WHERE o.status IN (${names.status.queued}, ${names.status.retrying}) AND o.key IS NOT NULL
                  AND o.queue = e.queue AND o.key = e.key AND coalesce(o.tenant_id, '') = e.tenant_id AND o.kind = e.kind
                  AND o.priority = e.priority AND o.run_at = e.due_at ${andOther})`
}

/**
 * The events of the attempts that `ended` returned: counted jobs have stopped running, and jobs with a key wait again.
 * Its rows have the job's `laneColumns`, its new state and `run_at`, and the old value of `counted`.
 */
export function writeEndEvents(names: SchemaNames): RawBuilder<unknown> {
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
