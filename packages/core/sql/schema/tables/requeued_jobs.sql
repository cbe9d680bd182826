CREATE TABLE queue.requeued_jobs (
  job_id uuid NOT NULL,
  requeued_at timestamptz NOT NULL,
  tenant_id text,
  job jsonb NOT NULL,
  dead_letter jsonb,
  CONSTRAINT requeued_jobs_pkey PRIMARY KEY (job_id)
);
