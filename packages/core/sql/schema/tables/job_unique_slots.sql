CREATE TABLE queue.job_unique_slots (
  tenant_id text NOT NULL DEFAULT '',
  kind text NOT NULL,
  key text NOT NULL,
  scope text NOT NULL,
  job_id uuid NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  expires_at timestamptz,
  CONSTRAINT job_unique_slots_pkey PRIMARY KEY (tenant_id, kind, key),
  CONSTRAINT job_unique_slots_key_check CHECK (char_length(key) BETWEEN 1 AND 255),
  CONSTRAINT job_unique_slots_scope_check
    CHECK (scope IN ('waiting', 'live', 'window') AND (scope = 'window') = (expires_at IS NOT NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
