/**
 * The sessions of people who are signed in to the dashboard.
 *
 * Each index is named by the query that needs it: api_sessions_pkey, find-sessions.
 */
export const apiSessions = (schema: string): string[] => [
  `CREATE TABLE ${schema}.api_sessions (
  id bytea NOT NULL,
  key_id text,
  token_proof bytea,
  claims jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  CONSTRAINT api_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT api_sessions_id_check CHECK (octet_length(id) = 32),
  CONSTRAINT api_sessions_credential_check CHECK (num_nonnulls(key_id, token_proof, claims) = 1)
)`,
]
