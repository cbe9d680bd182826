CREATE TABLE queue.dead_letter_jobs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  created_at timestamptz NOT NULL,
  dead_lettered_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  max_attempts integer NOT NULL,
  timeout_ms integer,
  priority smallint NOT NULL,
  crashes smallint NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  kind_version smallint,
  tenant_id text,
  key text COLLATE "C",
  weight integer,
  idempotency_key text,
  idempotency_fingerprint bytea,
  unique_key text,
  unique_scope text,
  trace_context text,
  open_results boolean,
  sensitive text[],
  payload jsonb NOT NULL,
  metadata jsonb,
  retry_policy jsonb,
  last_error text,
  fingerprint text,
  execution_history jsonb NOT NULL,
  CONSTRAINT dead_letter_jobs_pkey PRIMARY KEY (id),
  CONSTRAINT dead_letter_jobs_job_id_key UNIQUE (job_id)
);

CREATE INDEX dead_letter_jobs_dead_lettered_at_idx ON queue.dead_letter_jobs (dead_lettered_at, id);

CREATE INDEX dead_letter_jobs_fingerprint_idx ON queue.dead_letter_jobs (fingerprint, dead_lettered_at, id)
  WHERE fingerprint IS NOT NULL;

CREATE INDEX dead_letter_jobs_tenant_idx ON queue.dead_letter_jobs (tenant_id, dead_lettered_at, id)
  WHERE tenant_id IS NOT NULL;
