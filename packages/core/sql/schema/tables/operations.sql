CREATE TABLE queue.operations (
  tenant_id text NOT NULL DEFAULT '',
  id uuid NOT NULL,
  act text NOT NULL,
  filter jsonb NOT NULL,
  run_at timestamptz,
  scope jsonb,
  actor_type text,
  actor text,
  actor_name text,
  address text,
  request_id text,
  rights_end_at timestamptz,
  rate integer,
  up_to uuid NOT NULL,
  expected integer NOT NULL,
  expected_is_least boolean NOT NULL,
  state text NOT NULL DEFAULT 'running',
  changed bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  reached uuid,
  reason text,
  next_batch_at timestamptz NOT NULL DEFAULT now(),
  last_batch_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  CONSTRAINT operations_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT operations_id_key UNIQUE (id),
  CONSTRAINT operations_act_check CHECK (
    act IN ('cancel', 'requeue', 'reschedule', 'delete', 'purge', 'erase', 'requeue_dead_letters')
  ),
  CONSTRAINT operations_state_check CHECK (
    state IN ('running', 'succeeded', 'cancelled', 'refused', 'failed')
        AND (state = 'running') = (finished_at IS NULL)
  ),
  CONSTRAINT operations_counters_check CHECK (rate >= 1 AND expected >= 0 AND changed >= 0 AND skipped >= 0),
  CONSTRAINT operations_scope_check CHECK (coalesce(scope ->> 'tenant_id', '') = tenant_id),
  CONSTRAINT operations_run_at_check CHECK ((act = 'reschedule') = (run_at IS NOT NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE INDEX operations_running_idx ON queue.operations (next_batch_at) WHERE state = 'running';

CREATE INDEX operations_finished_idx ON queue.operations (finished_at);

CREATE TRIGGER forget_jobs BEFORE UPDATE OF state ON queue.operations FOR EACH ROW
  WHEN (NEW.state <> 'running') EXECUTE FUNCTION queue.forget_jobs();
