CREATE TABLE queue.lanes (
  queue text NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  priority smallint NOT NULL,
  is_full boolean NOT NULL DEFAULT false,
  turn_at timestamptz NOT NULL,
  head_at timestamptz NOT NULL,
  share text COLLATE "C",
  CONSTRAINT lanes_pkey PRIMARY KEY (queue, key, tenant_id, kind, priority)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE INDEX lanes_ready_idx ON queue.lanes (queue, priority, kind, turn_at) WHERE NOT is_full;

CREATE INDEX lanes_full_idx ON queue.lanes (queue, key, tenant_id) WHERE is_full;

CREATE INDEX lanes_fair_idx ON queue.lanes (queue, priority, share, turn_at)
    WHERE NOT is_full AND share IS NOT NULL;
