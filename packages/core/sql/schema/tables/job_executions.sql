CREATE TABLE queue.job_executions (
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  attempt integer NOT NULL,
  worker_id text NOT NULL,
  outcome queue.attempt_outcome NOT NULL,
  error text,
  error_class text,
  fingerprint text,
  CONSTRAINT job_executions_pkey PRIMARY KEY (job_id, lease_token)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
