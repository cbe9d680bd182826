CREATE TABLE queue.audit_log (
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
  CONSTRAINT audit_log_actor_check CHECK (actor_type IN ('key', 'subject', 'token', 'anyone', 'role')
      AND actor <> ''),
  CONSTRAINT audit_log_count_check CHECK (count >= cardinality(job_ids))
);

CREATE INDEX audit_log_at_idx ON queue.audit_log (at, id);

CREATE INDEX audit_log_job_ids_idx ON queue.audit_log USING gin (job_ids);

CREATE INDEX audit_log_target_idx ON queue.audit_log (target) WHERE target IS NOT NULL;
