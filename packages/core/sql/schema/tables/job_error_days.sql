CREATE TABLE queue.job_error_days (
  error_id uuid NOT NULL,
  day timestamptz NOT NULL,
  count bigint NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  version text NOT NULL,
  hours integer[] NOT NULL,
  CONSTRAINT job_error_days_pkey PRIMARY KEY (error_id, day, version),
  CONSTRAINT job_error_days_check CHECK (count > 0 AND cardinality(hours) = 24)
) WITH (fillfactor = 80);

CREATE INDEX job_error_days_day_idx ON queue.job_error_days (day);
