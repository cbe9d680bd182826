CREATE TABLE queue.limits (
  queue text NOT NULL,
  scope text NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  max_running integer,
  max_waiting integer,
  rate_count integer,
  rate_per_ms integer,
  rate_burst integer,
  paused_at timestamptz,
  on_retry text,
  fair_by text,
  weight smallint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT limits_pkey PRIMARY KEY (queue, scope, name),
  CONSTRAINT limits_scope_check CHECK (
    scope IN ('queue', 'kind', 'key', 'each_key', 'tenant') AND (scope IN ('queue', 'each_key')) = (name = '')
  ),
  CONSTRAINT limits_max_running_check CHECK (max_running >= 1),
  CONSTRAINT limits_max_waiting_check CHECK (max_waiting IS NULL OR max_waiting >= 1
      AND scope IN ('queue', 'tenant')),
  CONSTRAINT limits_rate_check CHECK (
    rate_count >= 1 AND rate_per_ms >= 1 AND rate_burst >= 1
    AND (rate_count IS NULL) = (rate_per_ms IS NULL) AND (rate_count IS NULL) = (rate_burst IS NULL)
  ),
  CONSTRAINT limits_on_retry_check CHECK (on_retry IS NULL OR on_retry IN ('block', 'continue')
      AND scope = 'each_key'),
  CONSTRAINT limits_fair_by_check CHECK (fair_by IS NULL OR fair_by IN ('tenant', 'key') AND scope = 'queue'),
  CONSTRAINT limits_weight_check CHECK (weight IS NULL OR weight BETWEEN 1 AND 1000
      AND scope IN ('key', 'tenant')),
  CONSTRAINT limits_tenant_check CHECK (scope <> 'tenant'
      OR num_nonnulls(max_running, rate_count, paused_at) = 0),
  CONSTRAINT limits_something_check CHECK (
    num_nonnulls(max_running, max_waiting, rate_count, paused_at, on_retry, fair_by, weight) > 0
  )
);
