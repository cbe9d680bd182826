import { currentTenant } from '../database/tenant-names.ts'

/**
 * The log lines of handlers.
 *
 * Each index is named by the queries that need it:
 * - job_logs_pkey: write-logs, list-logs, prune-jobs
 */
export const jobLogs = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_logs (
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  at timestamptz NOT NULL,
  line integer NOT NULL,
  attempt integer NOT NULL,
  level text NOT NULL,
  message text NOT NULL,
  fields jsonb,
  CONSTRAINT job_logs_pkey PRIMARY KEY (job_id, lease_token, line),
  CONSTRAINT job_logs_level_check CHECK (level IN ('debug', 'info', 'warn', 'error')),
  CONSTRAINT job_logs_line_check CHECK (line >= 1)
)`,
]

/** A view of the log lines of one tenant's jobs. */
export const tenantJobLogs = (schema: string): string =>
  `CREATE VIEW ${schema}.tenant_job_logs WITH (security_barrier) AS
  SELECT l.* FROM ${schema}.job_logs AS l
   WHERE EXISTS (SELECT FROM ${schema}.all_jobs AS j
                  WHERE j.id = l.job_id AND j.tenant_id = ${currentTenant} OFFSET 0)`
