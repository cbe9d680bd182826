CREATE TABLE outbox.outbox_dead_letters (
  id uuid NOT NULL,
  sequence bigint NOT NULL,
  lease_token bigint NOT NULL,
  created_at timestamptz NOT NULL,
  dead_lettered_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  reason text NOT NULL,
  topic text NOT NULL,
  key text COLLATE "C",
  payload jsonb NOT NULL,
  headers jsonb NOT NULL,
  history jsonb NOT NULL,
  last_error text,
  CONSTRAINT outbox_dead_letters_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_dead_letters_reason_check CHECK (reason IN ('exhausted', 'undeliverable', 'lost'))
);

CREATE INDEX outbox_dead_letters_dead_lettered_at_idx ON outbox.outbox_dead_letters (dead_lettered_at, id);
