import { currentTenant } from '../database/tenant-names.ts'

/**
 * Failures grouped by their cause, and those of each group by hour and by version of the worker. Every failure updates the row
 * of its group and the row of one of its days, so pages have room for that. A list sorts all groups; retention keeps at most
 * ten thousand.
 *
 * A row holds the 24 hours of a day: with a row for each hour there would be sixteen times as much to read
 * (docs/decisions/0112).
 * - job_errors_pkey: retry-or-dead-letter-jobs, list-errors of a tenant
 * - job_error_days_pkey: retry-or-dead-letter-jobs, list-errors in a time, prune-errors of groups
 * - job_error_days_day_idx: list-errors in a time, prune-errors of days
 * - dead_letter_jobs_fingerprint_idx: list-dead-letters and requeue-dead-letters by fingerprint
 */
export const jobErrors = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_errors (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  tenant_id text NOT NULL DEFAULT '',
  queue text NOT NULL,
  fingerprint text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  sampled_at timestamptz NOT NULL,
  sample_job_id uuid,
  count bigint NOT NULL,
  kind text NOT NULL,
  error_class text NOT NULL,
  first_version text,
  worker_versions text[] NOT NULL,
  day_versions text[] NOT NULL DEFAULT '{}',
  sample_error text NOT NULL,
  CONSTRAINT job_errors_pkey PRIMARY KEY (tenant_id, queue, fingerprint),
  CONSTRAINT job_errors_count_check CHECK (count > 0 AND last_seen_at >= first_seen_at)
) WITH (fillfactor = 50)`,
  `CREATE TABLE ${schema}.job_error_days (
  error_id uuid NOT NULL,
  day timestamptz NOT NULL,
  count bigint NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  version text NOT NULL,
  hours integer[] NOT NULL,
  CONSTRAINT job_error_days_pkey PRIMARY KEY (error_id, day, version),
  CONSTRAINT job_error_days_check CHECK (count > 0 AND cardinality(hours) = 24)
) WITH (fillfactor = 80)`,
  `CREATE INDEX job_error_days_day_idx ON ${schema}.job_error_days (day)`,
  `CREATE INDEX dead_letter_jobs_fingerprint_idx ON ${schema}.dead_letter_jobs (fingerprint, dead_lettered_at, id)
  WHERE fingerprint IS NOT NULL`,
]

/** Views of the failures of one tenant's jobs. */
export const tenantJobErrors = (schema: string): string[] =>
  ['job_errors', 'job_error_days'].map(
    (table) => `CREATE VIEW ${schema}.tenant_${table} WITH (security_barrier) AS
  SELECT * FROM ${schema}.${table}
   WHERE tenant_id = ${currentTenant}`,
  )
