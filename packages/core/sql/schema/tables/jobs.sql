CREATE TABLE queue.jobs (
  id uuid NOT NULL,
  lease_token queue.count_bigint NOT NULL DEFAULT 0,
  run_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  created_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  locked_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  expires_at timestamptz,
  stripped_at timestamptz,
  status queue.job_status NOT NULL DEFAULT 'queued',
  attempts queue.count_integer NOT NULL DEFAULT 0,
  max_attempts queue.positive_integer NOT NULL DEFAULT 3,
  timeout_ms queue.positive_integer,
  priority queue.job_priority NOT NULL DEFAULT 4,
  crashes queue.count_smallint NOT NULL DEFAULT 0,
  progress queue.percentage,
  kind_version queue.later_kind_version,
  cancel_requested boolean NOT NULL DEFAULT false,
  queue queue.non_empty_text NOT NULL DEFAULT 'default',
  kind queue.non_empty_text NOT NULL,
  tenant_id queue.non_empty_text,
  key queue.short_key COLLATE "C",
  counted smallint,
  weight queue.greater_job_weight,
  locked_by text,
  worker_id text,
  idempotency_key queue.short_key,
  idempotency_fingerprint bytea,
  unique_key text,
  unique_scope text,
  trace_context text,
  open_results queue.only_true,
  sensitive queue.sensitive_parts,
  payload jsonb NOT NULL,
  metadata jsonb,
  retry_policy jsonb,
  result jsonb,
  progress_message text,
  cancel_reason text,
  last_error text,
  CONSTRAINT jobs_pkey PRIMARY KEY (id),
  CONSTRAINT jobs_attempts_check CHECK (attempts <= max_attempts),
  CONSTRAINT jobs_running_check CHECK (
    (status = 'running') = (locked_by IS NOT NULL) AND (locked_by IS NULL) = (locked_at IS NULL)
  ),
  CONSTRAINT jobs_finished_check CHECK (
    (status IN ('succeeded', 'failed_permanent', 'cancelled')) = (finished_at IS NOT NULL)
  )
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX jobs_claim_idx ON queue.jobs (queue, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND key IS NULL;

CREATE INDEX jobs_status_idx ON queue.jobs (status, id)
  WHERE status IN ('queued', 'retrying', 'failed_permanent', 'cancelled');

CREATE INDEX jobs_tenant_idx ON queue.jobs (tenant_id, id) WHERE tenant_id IS NOT NULL;

CREATE INDEX jobs_locked_by_idx ON queue.jobs (locked_by, locked_at) WHERE locked_by IS NOT NULL;

CREATE INDEX jobs_expires_idx ON queue.jobs (expires_at)
    WHERE expires_at IS NOT NULL AND status NOT IN ('running', 'retrying', 'succeeded', 'failed_permanent',
        'cancelled');

CREATE UNIQUE INDEX jobs_idempotency_idx ON queue.jobs (coalesce(tenant_id, ''), idempotency_key)
  WHERE idempotency_key IS NOT NULL;

CREATE INDEX jobs_lane_idx ON queue.jobs (queue, key, coalesce(tenant_id, ''), kind, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND key IS NOT NULL;

CREATE INDEX jobs_keyed_idx ON queue.jobs (queue, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND coalesce(key, '') <> '';

CREATE INDEX jobs_tenant_live_idx ON queue.jobs (tenant_id, queue, coalesce(key, ''), priority, run_at, id)
  WHERE tenant_id IS NOT NULL AND status IN ('queued', 'retrying');
