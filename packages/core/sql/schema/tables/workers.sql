CREATE TABLE queue.workers (
  id text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  lease_expires_at timestamptz NOT NULL,
  pid integer NOT NULL,
  concurrency integer NOT NULL,
  slow_claim_ms integer,
  slow_claim_at timestamptz,
  state text NOT NULL DEFAULT 'active',
  hostname text NOT NULL,
  version text NOT NULL,
  zone_version text NOT NULL,
  queues text[] NOT NULL,
  kinds text[] NOT NULL,
  CONSTRAINT workers_pkey PRIMARY KEY (id),
  CONSTRAINT workers_state_check CHECK (state IN ('active', 'stopped', 'lost'))
) WITH (fillfactor = 50);
