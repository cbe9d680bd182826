CREATE TABLE queue.job_metadata (
  job_id uuid NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  name text NOT NULL,
  value text NOT NULL,
  CONSTRAINT job_metadata_pkey PRIMARY KEY (tenant_id, name, value, job_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX job_metadata_tenants_idx ON queue.job_metadata (name, value, job_id) WHERE tenant_id <> '';
