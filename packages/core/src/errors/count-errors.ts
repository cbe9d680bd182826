// The failures of a statement, added to the groups of their causes. Part of the statement that records them.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from '../database/schema-names.ts'
import { errorVersionsMax } from '../domain/limits.ts'

/**
 * Adds each failure of `ended` that has a fingerprint to the group of its tenant, queue and fingerprint: with the statement or
 * not at all, so a count is exact. The groups are locked in the order of their keys, after the jobs. A sample is replaced once
 * an hour, because it goes with its job.
 */
export function countErrors(names: SchemaNames): RawBuilder<unknown> {
  const versions = sql`EXCLUDED.worker_versions`
  const sampled = (name: string) =>
    sql`${sql.id(name)} = CASE WHEN e.sampled_at < EXCLUDED.sampled_at - interval '1 hour'
                          THEN EXCLUDED.${sql.id(name)} ELSE e.${sql.id(name)} END`
  return sql`counted AS (
      INSERT INTO ${names.errors} AS e (tenant_id, queue, fingerprint, kind, error_class, count, first_seen_at,
             last_seen_at, worker_versions, sampled_at, sample_job_id, sample_error)
      SELECT coalesce(j.tenant_id, '') AS tenant_id, j.queue, h.fingerprint, min(j.kind), min(h.error_class), count(*),
             statement_timestamp(), statement_timestamp(),
             coalesce(array_agg(DISTINCT w.version) FILTER (WHERE w.version IS NOT NULL), '{}'),
             statement_timestamp(), (array_agg(h.id ORDER BY h.id))[1], (array_agg(h.error ORDER BY h.id))[1]
        FROM ended AS h JOIN ${names.jobs} AS j ON j.id = h.id LEFT JOIN ${names.workers} AS w ON w.id = h.worker_id
       WHERE h.fingerprint IS NOT NULL AND NOT h.cancel_requested
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (tenant_id, queue, fingerprint) DO UPDATE SET
        count = e.count + EXCLUDED.count, last_seen_at = greatest(e.last_seen_at, EXCLUDED.last_seen_at),
        worker_versions = CASE WHEN e.worker_versions @> ${versions} THEN e.worker_versions
          ELSE (${versions} || ARRAY(SELECT v FROM unnest(e.worker_versions) AS v WHERE v <> ALL(${versions})))[1:${sql.lit(errorVersionsMax)}] END,
        ${sampled('sample_job_id')}, ${sampled('sample_error')}, ${sampled('sampled_at')}
    )`
}
