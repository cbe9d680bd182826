CREATE TABLE queue.queues (
  name text NOT NULL,
  paused_at timestamptz,
  limited boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT queues_pkey PRIMARY KEY (name),
  CONSTRAINT queues_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$')
) WITH (fillfactor = 50);

INSERT INTO queue.queues (name) VALUES ('default');
