/**
 * The audit log: who did which act, when and from where.
 *
 * Each index is named by the queries that need it:
 * - audit_log_pkey: list-audit-entries of a tenant
 * - audit_log_at_idx: list-audit-entries, prune-audit-log
 * - audit_log_job_ids_idx: list-audit-entries about a job
 * - audit_log_target_idx: erase_from_audit
 */
export const auditLog = (schema: string): string[] => [
  `CREATE TABLE ${schema}.audit_log (
  tenant_id text NOT NULL DEFAULT '',
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  act text NOT NULL,
  actor_type text NOT NULL,
  actor text NOT NULL,
  actor_name text,
  database_role text NOT NULL DEFAULT CURRENT_USER,
  address text,
  request_id text,
  count integer NOT NULL,
  target text,
  filter jsonb,
  job_ids uuid[] NOT NULL DEFAULT '{}',
  CONSTRAINT audit_log_pkey PRIMARY KEY (tenant_id, at, id),
  CONSTRAINT audit_log_actor_check CHECK (actor_type IN ('key', 'subject', 'token', 'anyone', 'role') AND actor <> ''),
  CONSTRAINT audit_log_count_check CHECK (count >= cardinality(job_ids))
)`,
  `CREATE INDEX audit_log_at_idx ON ${schema}.audit_log (at, id)`,
  `CREATE INDEX audit_log_job_ids_idx ON ${schema}.audit_log USING gin (job_ids)`,
  `CREATE INDEX audit_log_target_idx ON ${schema}.audit_log (target) WHERE target IS NOT NULL`,
]
