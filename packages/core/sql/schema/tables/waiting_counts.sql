CREATE TABLE queue.waiting_counts (
  queue text NOT NULL,
  tenant_id text COLLATE "C" NOT NULL DEFAULT '',
  waiting queue.count_integer NOT NULL,
  counted_at timestamptz NOT NULL,
  CONSTRAINT waiting_counts_pkey PRIMARY KEY (queue, tenant_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
