import { limitOfKey } from '../database/limit-counters.ts'
import { currentTenant } from '../database/tenant-names.ts'

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
