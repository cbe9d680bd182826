CREATE TABLE queue.job_stats_series (
  id smallint NOT NULL DEFAULT 1,
  last_used jsonb NOT NULL,
  CONSTRAINT job_stats_series_pkey PRIMARY KEY (id),
  CONSTRAINT job_stats_series_check CHECK (id = 1)
);
