import { currentTenant } from '../database/tenant-names.ts'

/**
 * Statistics by minute and by hour. Every process adds to the current rows every ten seconds, so pages have room for that.
 *
 * Each index is named by the queries that need it:
 * - job_stats_pkey: add-counts, read-stats, prune-stats, expected-start
 * - job_stats_tenant_idx: read-stats of a tenant
 */
export const jobStats = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_stats (
  at timestamptz NOT NULL,
  enqueued bigint NOT NULL DEFAULT 0,
  started bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  retried bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  period text NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  wait_buckets jsonb NOT NULL DEFAULT '{}',
  run_buckets jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT job_stats_pkey PRIMARY KEY (period, at, tenant_id, queue, kind),
  CONSTRAINT job_stats_period_check CHECK (period IN ('minute', 'hour')),
  CONSTRAINT job_stats_series_check CHECK ((queue = '') = (kind = '') AND (queue <> '*' OR kind = '*'))
) WITH (fillfactor = 50)`,
  `CREATE INDEX job_stats_tenant_idx ON ${schema}.job_stats (tenant_id, period, at) WHERE tenant_id <> ''`,
  `CREATE TABLE ${schema}.job_stats_series (
  id smallint NOT NULL DEFAULT 1,
  last_used jsonb NOT NULL,
  CONSTRAINT job_stats_series_pkey PRIMARY KEY (id),
  CONSTRAINT job_stats_series_check CHECK (id = 1)
)`,
]

/** A view of the statistics of one tenant's jobs. */
export const tenantJobStats = (schema: string): string =>
  `CREATE VIEW ${schema}.tenant_job_stats WITH (security_barrier) AS
  SELECT * FROM ${schema}.job_stats
   WHERE tenant_id = ${currentTenant}`
