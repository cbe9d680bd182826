CREATE TABLE queue.api_key_buckets (
  key_id text NOT NULL,
  filled_at timestamptz NOT NULL DEFAULT now(),
  tokens double precision NOT NULL,
  granted integer NOT NULL,
  CONSTRAINT api_key_buckets_pkey PRIMARY KEY (key_id)
) WITH (fillfactor = 50);
