CREATE TABLE queue.api_key_revocations (
  key_id text NOT NULL,
  revoked_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT api_key_revocations_pkey PRIMARY KEY (key_id)
);
