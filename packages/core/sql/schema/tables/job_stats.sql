CREATE TABLE queue.job_stats (
  at timestamptz NOT NULL,
  enqueued bigint NOT NULL DEFAULT 0,
  started bigint NOT NULL DEFAULT 0,
  succeeded bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  retried bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  period text NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  wait_buckets jsonb NOT NULL DEFAULT '{}',
  run_buckets jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT job_stats_pkey PRIMARY KEY (period, at, tenant_id, queue, kind),
  CONSTRAINT job_stats_period_check CHECK (period IN ('minute', 'hour')),
  CONSTRAINT job_stats_series_check CHECK ((queue = '') = (kind = '') AND (queue <> '*' OR kind = '*'))
) WITH (fillfactor = 50);

CREATE INDEX job_stats_tenant_idx ON queue.job_stats (tenant_id, period, at) WHERE tenant_id <> '';
