CREATE TABLE queue.job_errors (
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
) WITH (fillfactor = 50);
