CREATE TABLE queue.schedule_sources (
  tenant_id text NOT NULL DEFAULT '',
  source text NOT NULL,
  revision bigint NOT NULL,
  synced_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schedule_sources_pkey PRIMARY KEY (tenant_id, source),
  CONSTRAINT schedule_sources_check CHECK (source <> '' AND revision >= 0)
);
