import { currentTenant } from '../database/tenant-names.ts'

/**
 * Operations: acts on many jobs, which workers carry out. A check holds the tenant of a row's scope to the tenant of the
 * row: a role that can write rows of one tenant only cannot have jobs of others changed.
 *
 * Each index is named by the queries that need it:
 * - operations_pkey: list-operations of a tenant
 * - operations_id_key: get-operation, list-operations
 * - operations_running_idx: carry-out-operation
 * - operations_finished_idx: carry-out-operation, prune-operations
 */
export const operations = (schema: string): string[] => [
  `CREATE TABLE ${schema}.operations (
  tenant_id text NOT NULL DEFAULT '',
  id uuid NOT NULL,
  act text NOT NULL,
  filter jsonb NOT NULL,
  run_at timestamptz,
  scope jsonb,
  actor_type text,
  actor text,
  actor_name text,
  address text,
  request_id text,
  rights_end_at timestamptz,
  rate integer,
  up_to uuid NOT NULL,
  expected integer NOT NULL,
  expected_is_least boolean NOT NULL,
  state text NOT NULL DEFAULT 'running',
  changed bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  reached uuid,
  reason text,
  next_batch_at timestamptz NOT NULL DEFAULT now(),
  last_batch_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  CONSTRAINT operations_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT operations_id_key UNIQUE (id),
  CONSTRAINT operations_act_check CHECK (
    act IN ('cancel', 'requeue', 'reschedule', 'delete', 'purge', 'erase', 'requeue_dead_letters')
  ),
  CONSTRAINT operations_state_check CHECK (
    state IN ('running', 'succeeded', 'cancelled', 'refused', 'failed') AND (state = 'running') = (finished_at IS NULL)
  ),
  CONSTRAINT operations_counters_check CHECK (rate >= 1 AND expected >= 0 AND changed >= 0 AND skipped >= 0),
  CONSTRAINT operations_scope_check CHECK (coalesce(scope ->> 'tenant_id', '') = tenant_id),
  CONSTRAINT operations_run_at_check CHECK ((act = 'reschedule') = (run_at IS NOT NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX operations_running_idx ON ${schema}.operations (next_batch_at) WHERE state = 'running'`,
  `CREATE INDEX operations_finished_idx ON ${schema}.operations (finished_at)`,
]

/** The view of one tenant's operations. */
export const operationViews = (schema: string): string[] => [
  `CREATE VIEW ${schema}.tenant_operations WITH (security_barrier) AS
  SELECT * FROM ${schema}.operations WHERE tenant_id = ${currentTenant}
  WITH CASCADED CHECK OPTION`,
]
