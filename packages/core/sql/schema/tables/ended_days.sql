CREATE TABLE queue.ended_days (
  day timestamptz NOT NULL,
  below_id uuid NOT NULL,
  CONSTRAINT ended_days_pkey PRIMARY KEY (day)
);
