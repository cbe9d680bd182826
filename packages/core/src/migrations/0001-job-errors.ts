/**
 * Failures by their cause. Frozen text, as all migrations. Every failure writes to the row of its group, so pages have room
 * for that; a list sorts all rows, which retention keeps to ten thousand.
 *
 * Each index is named by the queries that need it:
 * - job_errors_pkey: retry-or-dead-letter-jobs, list-errors of a tenant
 * - dead_letter_jobs_fingerprint_idx: list-dead-letters and requeue-dead-letters by fingerprint
 */
export const jobErrors = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_errors (
  tenant_id text NOT NULL DEFAULT '',
  queue text NOT NULL,
  fingerprint text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  sampled_at timestamptz NOT NULL,
  sample_job_id uuid NOT NULL,
  count bigint NOT NULL,
  kind text NOT NULL,
  error_class text NOT NULL,
  worker_versions text[] NOT NULL,
  sample_error text NOT NULL,
  CONSTRAINT job_errors_pkey PRIMARY KEY (tenant_id, queue, fingerprint),
  CONSTRAINT job_errors_count_check CHECK (count > 0 AND last_seen_at >= first_seen_at)
) WITH (fillfactor = 50)`,
  `CREATE INDEX dead_letter_jobs_fingerprint_idx ON ${schema}.dead_letter_jobs (fingerprint, dead_lettered_at, id)
  WHERE fingerprint IS NOT NULL`,
]

/** The failures of one tenant's jobs. */
export const tenantJobErrors = (schema: string): string =>
  `CREATE VIEW ${schema}.tenant_job_errors WITH (security_barrier) AS
  SELECT * FROM ${schema}.job_errors
   WHERE tenant_id = current_setting('queue.tenant', true) AND tenant_id <> ''`
