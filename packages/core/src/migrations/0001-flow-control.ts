import { claimLanes, claimLanesSignature } from './0001-claim-lanes.ts'

/**
 * Limits, and the lanes in which jobs with a key wait; docs/flow-control.md explains
 * the design.
 *
 * Each index is named by the queries that need it:
 * - jobs_lane_idx: claim_lanes, queue-keys
 * - jobs_keyed_idx: queue-stats, attention, place-in-queue, beside jobs_claim_idx
 * - lanes_pkey: claim_lanes
 * - lanes_ready_idx: claim_lanes, claim-jobs
 * - lanes_full_idx: claim_lanes
 * - lanes_fair_idx, lane_turns_pkey, lane_turns_idx: claim_lanes
 * - lane_events_due_idx: claim_lanes, claim-jobs
 * - lane_events_first_idx: claim_lanes, claim-jobs
 * - limits_pkey, limit_counters_pkey: claim_lanes, set-limit
 */
export const flowControl = (schema: string): string[] => [
  `CREATE INDEX jobs_lane_idx ON ${schema}.jobs (queue, key, coalesce(tenant_id, ''), kind, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND key IS NOT NULL`,
  // The condition differs from that of a lane's claim on purpose: the planner must not choose this index there.
  `CREATE INDEX jobs_keyed_idx ON ${schema}.jobs (queue, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND coalesce(key, '') <> ''`,
  `CREATE TABLE ${schema}.limits (
  queue text NOT NULL,
  scope text NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  max_running integer,
  max_waiting integer,
  rate_count integer,
  rate_per_ms integer,
  rate_burst integer,
  paused_at timestamptz,
  on_retry text,
  fair_by text,
  weight smallint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT limits_pkey PRIMARY KEY (queue, scope, name),
  CONSTRAINT limits_scope_check CHECK (
    scope IN ('queue', 'kind', 'key', 'each_key', 'tenant') AND (scope IN ('queue', 'each_key')) = (name = '')
  ),
  CONSTRAINT limits_max_running_check CHECK (max_running >= 1),
  CONSTRAINT limits_max_waiting_check CHECK (max_waiting IS NULL OR max_waiting >= 1 AND scope IN ('queue', 'tenant')),
  CONSTRAINT limits_rate_check CHECK (
    rate_count >= 1 AND rate_per_ms >= 1 AND rate_burst >= 1
    AND (rate_count IS NULL) = (rate_per_ms IS NULL) AND (rate_count IS NULL) = (rate_burst IS NULL)
  ),
  CONSTRAINT limits_on_retry_check CHECK (on_retry IS NULL OR on_retry IN ('block', 'continue') AND scope = 'each_key'),
  CONSTRAINT limits_fair_by_check CHECK (fair_by IS NULL OR fair_by IN ('tenant', 'key') AND scope = 'queue'),
  CONSTRAINT limits_weight_check CHECK (weight IS NULL OR weight BETWEEN 1 AND 1000 AND scope IN ('key', 'tenant')),
  CONSTRAINT limits_tenant_check CHECK (scope <> 'tenant' OR num_nonnulls(max_running, rate_count, paused_at) = 0),
  CONSTRAINT limits_something_check CHECK (
    num_nonnulls(max_running, max_waiting, rate_count, paused_at, on_retry, fair_by, weight) > 0
  )
)`,
  `CREATE TABLE ${schema}.limit_counters (
  queue text NOT NULL,
  scope ${schema}.limit_scope NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  tenant_id text NOT NULL DEFAULT '',
  running ${schema}.count_integer NOT NULL DEFAULT 0,
  spent_until timestamptz NOT NULL DEFAULT '-infinity',
  awaited ${schema}.positive_integer NOT NULL DEFAULT 1,
  held_by uuid,
  CONSTRAINT limit_counters_pkey PRIMARY KEY (queue, scope, name, tenant_id)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE TABLE ${schema}.lanes (
  queue text NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  priority smallint NOT NULL,
  is_full boolean NOT NULL DEFAULT false,
  turn_at timestamptz NOT NULL,
  head_at timestamptz NOT NULL,
  share text COLLATE "C",
  CONSTRAINT lanes_pkey PRIMARY KEY (queue, key, tenant_id, kind, priority)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX lanes_ready_idx ON ${schema}.lanes (queue, priority, kind, turn_at) WHERE NOT is_full`,
  `CREATE INDEX lanes_full_idx ON ${schema}.lanes (queue, key, tenant_id) WHERE is_full`,
  `CREATE INDEX lanes_fair_idx ON ${schema}.lanes (queue, priority, share, turn_at) WHERE NOT is_full AND share IS NOT NULL`,
  `CREATE TABLE ${schema}.lane_turns (
  queue text NOT NULL,
  priority smallint NOT NULL,
  share text COLLATE "C" NOT NULL,
  turn double precision NOT NULL,
  reached text,
  CONSTRAINT lane_turns_pkey PRIMARY KEY (queue, priority, share)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX lane_turns_idx ON ${schema}.lane_turns (queue, priority, turn)`,
  `CREATE TABLE ${schema}.lane_events (
  due_at timestamptz NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C",
  tenant_id text NOT NULL DEFAULT '',
  priority smallint,
  counted smallint,
  jobs ${schema}.count_integer NOT NULL DEFAULT 0,
  CONSTRAINT lane_events_check CHECK (priority IS NULL OR key IS NOT NULL)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  // The table has no key, and a publication of all tables would otherwise make every DELETE fail.
  `ALTER TABLE ${schema}.lane_events REPLICA IDENTITY FULL`,
  `CREATE INDEX lane_events_due_idx ON ${schema}.lane_events (queue, priority, due_at)`,
  `CREATE INDEX lane_events_first_idx ON ${schema}.lane_events (queue, due_at) WHERE counted IS NOT NULL`,
  claimLanes(schema),
  `REVOKE ALL ON FUNCTION ${schema}.${claimLanesSignature} FROM PUBLIC`,
]

/** Drops the function first: it has rows of the tables as values. */
export const dropFlowControl = (schema: string): string[] => [
  `DROP FUNCTION ${schema}.${claimLanesSignature}`,
]

export const flowControlTables = ['lane_events', 'lane_turns', 'lanes', 'limit_counters', 'limits']
