CREATE TABLE queue.limit_counters (
  queue text NOT NULL,
  scope queue.limit_scope NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  tenant_id text NOT NULL DEFAULT '',
  running queue.count_integer NOT NULL DEFAULT 0,
  spent_until timestamptz NOT NULL DEFAULT '-infinity',
  awaited queue.positive_integer NOT NULL DEFAULT 1,
  held_by uuid,
  CONSTRAINT limit_counters_pkey PRIMARY KEY (queue, scope, name, tenant_id)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
