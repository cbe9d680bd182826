CREATE TABLE queue.job_logs (
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  at timestamptz NOT NULL,
  line integer NOT NULL,
  attempt integer NOT NULL,
  level text NOT NULL,
  message text NOT NULL,
  fields jsonb,
  CONSTRAINT job_logs_pkey PRIMARY KEY (job_id, lease_token, line),
  CONSTRAINT job_logs_level_check CHECK (level IN ('debug', 'info', 'warn', 'error')),
  CONSTRAINT job_logs_line_check CHECK (line >= 1)
);
