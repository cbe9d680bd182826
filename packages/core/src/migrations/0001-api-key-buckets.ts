/**
 * The token bucket of each API key: how many requests it may still send.
 *
 * Each index is named by the query that needs it: api_key_buckets_pkey, take-requests.
 */
export const apiKeyBuckets = (schema: string): string[] => [
  `ALTER TABLE ${schema}.api_keys ADD CONSTRAINT api_keys_rate_check CHECK (rate IS NULL OR coalesce(
  (rate ->> 'count')::integer >= 1 AND (rate ->> 'per_seconds')::integer >= 1 AND (rate ->> 'burst')::integer >= 1, false
))`,
  `CREATE TABLE ${schema}.api_key_buckets (
  key_id text NOT NULL,
  filled_at timestamptz NOT NULL DEFAULT now(),
  tokens double precision NOT NULL,
  granted integer NOT NULL,
  CONSTRAINT api_key_buckets_pkey PRIMARY KEY (key_id)
) WITH (fillfactor = 50)`,
]
