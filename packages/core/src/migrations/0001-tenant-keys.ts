import { currentTenant } from '../database/tenant-names.ts'
import { opensAt, ruleOfKey } from './0001-limit-counters.ts'

/**
 * The limits of the key of a row `p`, and when its rate lets a job start again. `p` is a subquery with the columns
 * `queue`, `key` and `tenant_id`. It counts no jobs.
 */
export const limitOfKey = (schema: string): string => `(
  SELECT l.max_running, l.paused_at, CASE WHEN l.rate_count IS NOT NULL AND ${opensAt} > at THEN ${opensAt} END AS rate_opens_at,
         EXISTS (SELECT FROM ${schema}.limits AS o WHERE o.queue = p.queue AND o.scope = 'key' AND o.name = p.key) AS has_limit,
         EXISTS (SELECT FROM ${schema}.limits AS o
                  WHERE o.queue = p.queue AND o.scope = 'each_key' AND o.name = '' AND o.on_retry IS NOT NULL) AS is_ordered
    FROM (SELECT now() AS at) AS moment CROSS JOIN ${ruleOfKey(schema)} AS l
   CROSS JOIN (
     SELECT coalesce(k.spent_until, '-infinity') AS spent_until, coalesce(k.awaited, 1) AS awaited
       FROM (SELECT) AS one LEFT JOIN ${schema}.limit_counters AS k
         ON k.queue = p.queue AND k.scope = 'key' AND k.name = p.key AND k.tenant_id = p.tenant_id
   ) AS c)`

/**
 * The live jobs of one tenant that have a key, each with the limits of its key. PostgreSQL computes those only for rows
 * in which they are read. The conditions that tell waiting from running jobs are inside the view, as in the view of
 * queues.
 */
export const tenantKeyedJobs = (
  schema: string,
): string => `CREATE VIEW ${schema}.tenant_keyed_jobs WITH (security_barrier) AS
  SELECT j.tenant_id, j.queue, j.kind, j.key, j.run_at, j.is_running,
         (SELECT to_jsonb(l) FROM (SELECT j.queue, j.key, j.tenant_id) AS p CROSS JOIN LATERAL ${limitOfKey(schema)} AS l) AS limited
    FROM (
      SELECT tenant_id, queue, kind, key, run_at, false AS is_running
        FROM ${schema}.jobs WHERE status IN ('queued', 'retrying') AND key IS NOT NULL AND tenant_id = ${currentTenant}
      UNION ALL
      SELECT tenant_id, queue, kind, key, run_at, true
        FROM ${schema}.jobs WHERE locked_by IS NOT NULL AND key IS NOT NULL AND tenant_id = ${currentTenant}
    ) AS j`
