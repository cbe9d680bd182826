// Counts failures in their error groups and by the hour. Part of the statement that records the failures.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from '../database/schema-names.ts'
import { errorVersionsMax } from '../domain/limits.ts'

/**
 * Counts each failure of `ended` that has a fingerprint, in the error group of its tenant, queue and fingerprint, and
 * in the hour and worker version in which it was seen. The counts are exact, because they are written with the failures
 * or not at all. Groups are locked in the order of their keys, after the jobs. The days of a group are written under
 * the group's lock, all after the last group is locked.
 */
export function countErrors(names: SchemaNames): RawBuilder<unknown> {
  return sql`failures AS MATERIALIZED (
      SELECT coalesce(j.tenant_id, '') AS tenant_id, j.queue, h.fingerprint, j.kind, h.error_class, h.error, h.id, w.version
        FROM ended AS h JOIN ${names.jobs} AS j ON j.id = h.id LEFT JOIN ${names.workers} AS w ON w.id = h.worker_id
       WHERE h.fingerprint IS NOT NULL AND NOT h.cancel_requested
    ), ${countGroups(names)}, ${countHours(names)}`
}

/**
 * The sample of a group is replaced once an hour, because it is removed with its job. `first_version` stays. On each
 * day, the first versions that see a group are counted separately; this statement chooses them, because it sees the row
 * as the previous statement has left it.
 */
function countGroups(names: SchemaNames): RawBuilder<unknown> {
  const sampled = (name: string) =>
    sql`${sql.id(name)} = CASE WHEN e.sampled_at < EXCLUDED.sampled_at - interval '1 hour'
                          THEN EXCLUDED.${sql.id(name)} ELSE e.${sql.id(name)} END`
  return sql`counted AS (
      INSERT INTO ${names.errors} AS e (tenant_id, queue, fingerprint, kind, error_class, count, first_seen_at,
             last_seen_at, first_version, worker_versions, day_versions, sampled_at, sample_job_id, sample_error)
      SELECT f.tenant_id, f.queue, f.fingerprint, f.kind, f.error_class, f.count, statement_timestamp(),
             statement_timestamp(), f.first_version, f.versions, f.versions, statement_timestamp(), f.job_id, f.error
        FROM (SELECT tenant_id, queue, fingerprint, min(kind) AS kind, min(error_class) AS error_class, count(*) AS count,
                     (array_agg(version ORDER BY id))[1] AS first_version,
                     (coalesce(array_agg(DISTINCT version) FILTER (WHERE version IS NOT NULL), '{}'))[1:${versionsMax}] AS versions,
                     (array_agg(id ORDER BY id))[1] AS job_id, (array_agg(error ORDER BY id))[1] AS error
                FROM failures GROUP BY 1, 2, 3) AS f
       ORDER BY f.tenant_id, f.queue, f.fingerprint
      ON CONFLICT (tenant_id, queue, fingerprint) DO UPDATE SET
        count = e.count + EXCLUDED.count, last_seen_at = greatest(e.last_seen_at, EXCLUDED.last_seen_at),
        worker_versions = CASE WHEN e.worker_versions @> EXCLUDED.worker_versions THEN e.worker_versions
          ELSE ${unionOf('excluded.worker_versions', 'e.worker_versions')} END,
        day_versions = CASE WHEN ${dayOf('e.last_seen_at')} < ${dayOf('excluded.last_seen_at')} THEN EXCLUDED.day_versions
          WHEN e.day_versions @> EXCLUDED.day_versions THEN e.day_versions
          ELSE ${unionOf('e.day_versions', 'excluded.day_versions')} END,
        ${sampled('sample_job_id')}, ${sampled('sample_error')}, ${sampled('sampled_at')}
      RETURNING id, tenant_id, queue, fingerprint, last_seen_at, day_versions
    )`
}

/**
 * The hour is that of the group's `last_seen_at`. So a group has failures since an instant exactly where it was last
 * seen since then. Each failure has its group; the full join, which is never a nested loop, is for statements with many
 * fingerprints.
 */
function countHours(names: SchemaNames): RawBuilder<unknown> {
  return sql`counted_by_hour AS (
      INSERT INTO ${names.errorDays} AS d (error_id, day, version, tenant_id, count, hours)
      SELECT s.id, s.day, s.version, s.tenant_id, s.count,
             array_fill(0, ARRAY[s.hour]) || s.count::integer || array_fill(0, ARRAY[23 - s.hour])
        FROM (SELECT c.id, c.tenant_id, ${dayOf('c.last_seen_at')} AS day,
                     extract(hour FROM c.last_seen_at AT TIME ZONE 'UTC')::integer AS hour,
                     CASE WHEN f.version = ANY(c.day_versions) THEN f.version ELSE '' END AS version, count(*) AS count
                FROM counted AS c FULL JOIN failures AS f USING (tenant_id, queue, fingerprint)
               GROUP BY 1, 2, 3, 4, 5) AS s
      ON CONFLICT (error_id, day, version) DO UPDATE SET count = d.count + EXCLUDED.count,
        hours = ARRAY(SELECT h.before + h.added FROM unnest(d.hours, EXCLUDED.hours) AS h (before, added))
    )`
}

const versionsMax = sql.lit(errorVersionsMax)

/** The elements of the first array, then those of the second that are not in the first, up to the number that is kept. */
function unionOf(first: string, second: string): RawBuilder<unknown> {
  const [firstArray, secondArray] = [sql.ref(first), sql.ref(second)]
  return sql`(${firstArray} || ARRAY(SELECT v FROM unnest(${secondArray}) AS v WHERE v <> ALL(${firstArray})))[1:${versionsMax}]`
}

function dayOf(instant: string): RawBuilder<unknown> {
  return sql`date_trunc('day', ${sql.ref(instant)}, 'UTC')`
}
