CREATE TABLE queue.job_kinds (
  kind text NOT NULL,
  version smallint NOT NULL,
  payload_schema jsonb NOT NULL,
  defaults jsonb NOT NULL DEFAULT '{}',
  description text,
  sensitive text[],
  digest text NOT NULL,
  superseded text[] NOT NULL DEFAULT '{}',
  registered_by text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  CONSTRAINT job_kinds_pkey PRIMARY KEY (kind, version),
  CONSTRAINT job_kinds_kind_check CHECK (kind ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
  CONSTRAINT job_kinds_version_check CHECK (version >= 1)
);
