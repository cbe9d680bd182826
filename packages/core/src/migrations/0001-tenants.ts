import { currentTenant } from '../database/tenant-names.ts'
import { tenantMetadataView } from './0001-job-metadata.ts'

/**
 * The second guard between tenants: views that show only the rows of the tenant that the setting `queue.tenant` names,
 * and accept no others. A role that may use only these views reaches no row of another tenant, in a transaction that
 * names one tenant, unless a statement changes the setting: a missing condition does no harm, and neither does SQL from
 * a stranger. The views run with the rights of the owner of the tables.
 *
 * `security_barrier` keeps functions of the reader from being called with rows of other tenants. Because of it
 * PostgreSQL pushes only leakproof conditions into a view, and does not use the order of an index from it. So each view
 * of a list has its order inside, by the whole key of its index: with a plain equality of the tenant the planner might
 * scan the primary key instead, through the jobs of all tenants. For the same reason, counting by state happens inside.
 * The second condition on a job lets idempotency keys be found by their unique index.
 *
 * A column that is added to a table has to be added to its views.
 */
export const tenantViews = (schema: string): string[] => {
  const own = `tenant_id = ${currentTenant}`
  const ownInOrder = `tenant_id >= ${currentTenant} AND tenant_id <= ${currentTenant}`
  return [
    `CREATE VIEW ${schema}.tenant_jobs WITH (security_barrier) AS
  SELECT * FROM ${schema}.jobs WHERE ${own} AND coalesce(tenant_id, '') = ${currentTenant}
  WITH CASCADED CHECK OPTION`,
    `CREATE VIEW ${schema}.tenant_all_jobs WITH (security_barrier) AS
  SELECT * FROM ${schema}.all_jobs WHERE ${own}`,
    `CREATE VIEW ${schema}.tenant_job_list WITH (security_barrier) AS
  SELECT * FROM ${schema}.all_jobs WHERE ${ownInOrder} ORDER BY tenant_id DESC, id DESC`,
    `CREATE VIEW ${schema}.tenant_job_executions WITH (security_barrier) AS
  SELECT x.* FROM ${schema}.job_executions AS x
   WHERE EXISTS (SELECT FROM ${schema}.all_jobs AS j WHERE j.id = x.job_id AND j.${own} OFFSET 0)`,
    `CREATE VIEW ${schema}.tenant_dead_letter_jobs WITH (security_barrier) AS
  SELECT * FROM ${schema}.dead_letter_jobs WHERE ${own}
  WITH CASCADED CHECK OPTION`,
    `CREATE VIEW ${schema}.tenant_dead_letter_list WITH (security_barrier) AS
  SELECT * FROM ${schema}.dead_letter_jobs WHERE ${ownInOrder}
   ORDER BY tenant_id DESC, dead_lettered_at DESC, id DESC`,
    `CREATE VIEW ${schema}.tenant_audit_log WITH (security_barrier) AS
  SELECT * FROM ${schema}.audit_log WHERE ${own}
  WITH CASCADED CHECK OPTION`,
    tenantMetadataView(schema),
    `CREATE VIEW ${schema}.tenant_job_unique_slots WITH (security_barrier) AS
  SELECT * FROM ${schema}.job_unique_slots WHERE ${own}
  WITH CASCADED CHECK OPTION`,
    `CREATE VIEW ${schema}.tenant_lane_events WITH (security_barrier) AS
  SELECT * FROM ${schema}.lane_events WHERE ${own} AND counted IS NULL
  WITH CASCADED CHECK OPTION`,
    `CREATE VIEW ${schema}.tenant_queues WITH (security_barrier) AS
  SELECT j.tenant_id, j.queue, j.kind, j.queued, j.retrying, j.running, j.ready, j.newly_ready, j.oldest_due_at,
         q.name IS NOT NULL AS registered, q.paused_at,
         (SELECT count(*) FROM ${schema}.workers AS w
           WHERE w.state = 'active' AND now() < w.lease_expires_at AND j.queue = ANY(w.queues)) AS workers
    FROM (
      SELECT tenant_id, queue, kind, count(*) FILTER (WHERE status = 'queued') AS queued,
             count(*) FILTER (WHERE status = 'retrying') AS retrying, 0 AS running,
             count(*) FILTER (WHERE run_at <= now()) AS ready,
             count(*) FILTER (WHERE run_at <= now() AND run_at > now() - interval '5 minutes') AS newly_ready,
             min(run_at) FILTER (WHERE run_at <= now()) AS oldest_due_at
        FROM ${schema}.jobs WHERE status IN ('queued', 'retrying') AND ${own} GROUP BY tenant_id, queue, kind
      UNION ALL
      SELECT tenant_id, queue, kind, 0, 0, count(*), 0, 0, NULL
        FROM ${schema}.jobs WHERE locked_by IS NOT NULL AND ${own} GROUP BY tenant_id, queue, kind
    ) AS j LEFT JOIN ${schema}.queues AS q ON q.name = j.queue`,
  ]
}

/** The indexes for the lists and counts of one tenant. Jobs without a tenant are in none of them. */
export const tenantIndexes = (schema: string): string[] => [
  `CREATE INDEX jobs_tenant_live_idx ON ${schema}.jobs (tenant_id, queue, coalesce(key, ''), priority, run_at, id)
  WHERE tenant_id IS NOT NULL AND status IN ('queued', 'retrying')`,
  `CREATE INDEX dead_letter_jobs_tenant_idx ON ${schema}.dead_letter_jobs (tenant_id, dead_lettered_at, id)
  WHERE tenant_id IS NOT NULL`,
]

/** The views above, in the order in which `down` drops them. */
export const tenantViewNames = [
  'tenant_operations',
  'tenant_queues',
  'tenant_job_metadata',
  'tenant_job_unique_slots',
  'tenant_lane_events',
  'tenant_audit_log',
  'tenant_dead_letter_list',
  'tenant_dead_letter_jobs',
  'tenant_job_executions',
  'tenant_job_list',
  'tenant_all_jobs',
  'tenant_jobs',
]
