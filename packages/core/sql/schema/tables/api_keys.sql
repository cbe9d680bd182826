CREATE TABLE queue.api_keys (
  id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  digest bytea NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  permissions text[] NOT NULL DEFAULT '{}',
  tenant_id text,
  queues text[],
  kinds text[],
  rate jsonb,
  replaces text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_replaces_key UNIQUE (replaces),
  CONSTRAINT api_keys_id_check CHECK (id ~ '^[a-z0-9]{8}$'),
  CONSTRAINT api_keys_digest_check CHECK (octet_length(digest) = 32),
  CONSTRAINT api_keys_name_check CHECK (char_length(name) BETWEEN 1 AND 100),
  CONSTRAINT api_keys_role_check CHECK (role IN ('enqueue', 'read', 'operate', 'admin')),
  CONSTRAINT api_keys_tenant_check CHECK (tenant_id <> ''),
  CONSTRAINT api_keys_queues_check CHECK (cardinality(queues) > 0),
  CONSTRAINT api_keys_kinds_check CHECK (cardinality(kinds) > 0)
);

ALTER TABLE queue.api_keys ADD CONSTRAINT api_keys_rate_check CHECK (rate IS NULL OR coalesce(
  (rate ->> 'count')::integer >= 1 AND (rate ->> 'per_seconds')::integer >= 1
      AND (rate ->> 'burst')::integer >= 1, false
));
