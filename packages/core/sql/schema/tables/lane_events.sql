CREATE TABLE queue.lane_events (
  due_at timestamptz NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C",
  tenant_id text NOT NULL DEFAULT '',
  priority smallint,
  counted smallint,
  jobs queue.count_integer NOT NULL DEFAULT 0,
  CONSTRAINT lane_events_check CHECK (priority IS NULL OR key IS NOT NULL)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

ALTER TABLE queue.lane_events REPLICA IDENTITY FULL;

CREATE INDEX lane_events_due_idx ON queue.lane_events (queue, priority, due_at);

CREATE INDEX lane_events_first_idx ON queue.lane_events (queue, due_at) WHERE counted IS NOT NULL;
