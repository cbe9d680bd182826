CREATE TABLE queue.lane_turns (
  queue text NOT NULL,
  priority smallint NOT NULL,
  share text COLLATE "C" NOT NULL,
  turn double precision NOT NULL,
  reached text,
  CONSTRAINT lane_turns_pkey PRIMARY KEY (queue, priority, share)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

CREATE INDEX lane_turns_idx ON queue.lane_turns (queue, priority, turn);
