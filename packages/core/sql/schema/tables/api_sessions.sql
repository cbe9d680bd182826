CREATE TABLE queue.api_sessions (
  id bytea NOT NULL,
  key_id text,
  token_proof bytea,
  claims jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  CONSTRAINT api_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT api_sessions_id_check CHECK (octet_length(id) = 32),
  CONSTRAINT api_sessions_credential_check CHECK (num_nonnulls(key_id, token_proof, claims) = 1)
);
