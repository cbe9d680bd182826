import type { TransactionalMigration } from '@queue/postgres'
import { apiKeyBuckets } from './0001-api-key-buckets.ts'
import { apiSessions } from './0001-api-sessions.ts'
import { auditLog } from './0001-audit-log.ts'
import { domains, dropDomains } from './0001-domains.ts'
import { allJobs, dropAllJobs, dropEndedJobs, endedJobs } from './0001-ended-jobs.ts'
import { dropFlowControl, flowControl, flowControlTables } from './0001-flow-control.ts'
import { dropFunctions, functions } from './0001-functions.ts'
import { jobColumns } from './0001-job-columns.ts'
import { jobErrors, tenantJobErrors } from './0001-job-errors.ts'
import { jobLogs, tenantJobLogs } from './0001-job-logs.ts'
import { jobMetadata } from './0001-job-metadata.ts'
import { jobStats, tenantJobStats } from './0001-job-stats.ts'
import { operations, operationViews } from './0001-operations.ts'
import { tenantClaimFacts } from './0001-tenant-claim-facts.ts'
import { tenantKeyedJobs } from './0001-tenant-keys.ts'
import { waitingCounts, waitingCountTables } from './0001-waiting-counts.ts'
import { requeuedJobs, tenantRequeuedJobs } from './0001-requeued-jobs.ts'
import { uniqueSlots } from './0001-unique-slots.ts'
import { tenantIndexes, tenantViewNames, tenantViews } from './0001-tenants.ts'

/** The jobs. */
const jobs = (schema: string): string[] => [
  `CREATE TYPE ${schema}.job_status AS ENUM
  ('queued', 'running', 'succeeded', 'retrying', 'failed_permanent', 'cancelled')`,
  `CREATE TABLE ${schema}.jobs (
  ${jobColumns(schema)
    .map((column) => column.join(' '))
    .join(',\n  ')},
  CONSTRAINT jobs_pkey PRIMARY KEY (id),
  CONSTRAINT jobs_attempts_check CHECK (attempts <= max_attempts),
  CONSTRAINT jobs_running_check CHECK (
    (status = 'running') = (locked_by IS NOT NULL) AND (locked_by IS NULL) = (locked_at IS NULL)
  ),
  CONSTRAINT jobs_finished_check CHECK (
    (status IN ('succeeded', 'failed_permanent', 'cancelled')) = (finished_at IS NOT NULL)
  )
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.05)`,
]

const jobIndexes = (schema: string): string[] => [
  `CREATE INDEX jobs_claim_idx ON ${schema}.jobs (queue, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND key IS NULL`,
  `CREATE INDEX jobs_status_idx ON ${schema}.jobs (status, id)
  WHERE status IN ('queued', 'retrying', 'failed_permanent', 'cancelled')`,
  `CREATE INDEX jobs_tenant_idx ON ${schema}.jobs (tenant_id, id) WHERE tenant_id IS NOT NULL`,
  `CREATE INDEX jobs_locked_by_idx ON ${schema}.jobs (locked_by, locked_at) WHERE locked_by IS NOT NULL`,
  `CREATE INDEX jobs_expires_idx ON ${schema}.jobs (expires_at)
    WHERE expires_at IS NOT NULL AND status NOT IN ('running', 'retrying', 'succeeded', 'failed_permanent', 'cancelled')`,
  `CREATE UNIQUE INDEX jobs_idempotency_idx ON ${schema}.jobs (coalesce(tenant_id, ''), idempotency_key)
  WHERE idempotency_key IS NOT NULL`,
]

/** The history of attempts that have ended, and the dead letters. */
const executionsAndDeadLetters = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_executions (
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  started_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  attempt integer NOT NULL,
  worker_id text NOT NULL,
  outcome ${schema}.attempt_outcome NOT NULL,
  error text,
  error_class text,
  fingerprint text,
  CONSTRAINT job_executions_pkey PRIMARY KEY (job_id, lease_token)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  `CREATE TABLE ${schema}.dead_letter_jobs (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  job_id uuid NOT NULL,
  lease_token bigint NOT NULL,
  created_at timestamptz NOT NULL,
  dead_lettered_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  max_attempts integer NOT NULL,
  timeout_ms integer,
  priority smallint NOT NULL,
  crashes smallint NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  kind_version smallint,
  tenant_id text,
  key text COLLATE "C",
  weight integer,
  idempotency_key text,
  idempotency_fingerprint bytea,
  unique_key text,
  unique_scope text,
  trace_context text,
  open_results boolean,
  sensitive text[],
  payload jsonb NOT NULL,
  metadata jsonb,
  retry_policy jsonb,
  last_error text,
  fingerprint text,
  execution_history jsonb NOT NULL,
  CONSTRAINT dead_letter_jobs_pkey PRIMARY KEY (id),
  CONSTRAINT dead_letter_jobs_job_id_key UNIQUE (job_id)
)`,
  `CREATE INDEX dead_letter_jobs_dead_lettered_at_idx ON ${schema}.dead_letter_jobs (dead_lettered_at, id)`,
]

/** The registries of workers and queues. */
const workersAndQueues = (schema: string): string[] => [
  `CREATE TABLE ${schema}.workers (
  id text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  lease_expires_at timestamptz NOT NULL,
  pid integer NOT NULL,
  concurrency integer NOT NULL,
  slow_claim_ms integer,
  slow_claim_at timestamptz,
  state text NOT NULL DEFAULT 'active',
  hostname text NOT NULL,
  version text NOT NULL,
  zone_version text NOT NULL,
  queues text[] NOT NULL,
  kinds text[] NOT NULL,
  CONSTRAINT workers_pkey PRIMARY KEY (id),
  CONSTRAINT workers_state_check CHECK (state IN ('active', 'stopped', 'lost'))
) WITH (fillfactor = 50)`,
  `CREATE TABLE ${schema}.queues (
  name text NOT NULL,
  paused_at timestamptz,
  limited boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT queues_pkey PRIMARY KEY (name),
  CONSTRAINT queues_name_check CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$')
) WITH (fillfactor = 50)`,
  `INSERT INTO ${schema}.queues (name) VALUES ('default')`,
]

/** The keys of the API, and which of them are revoked. */
const apiKeys = (schema: string): string[] => [
  `CREATE TABLE ${schema}.api_keys (
  id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  digest bytea NOT NULL,
  name text NOT NULL,
  role text NOT NULL,
  permissions text[] NOT NULL DEFAULT '{}',
  tenant_id text,
  queues text[],
  kinds text[],
  rate jsonb,
  replaces text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_replaces_key UNIQUE (replaces),
  CONSTRAINT api_keys_id_check CHECK (id ~ '^[a-z0-9]{8}$'),
  CONSTRAINT api_keys_digest_check CHECK (octet_length(digest) = 32),
  CONSTRAINT api_keys_name_check CHECK (char_length(name) BETWEEN 1 AND 100),
  CONSTRAINT api_keys_role_check CHECK (role IN ('enqueue', 'read', 'operate', 'admin')),
  CONSTRAINT api_keys_tenant_check CHECK (tenant_id <> ''),
  CONSTRAINT api_keys_queues_check CHECK (cardinality(queues) > 0),
  CONSTRAINT api_keys_kinds_check CHECK (cardinality(kinds) > 0)
)`,
  `CREATE TABLE ${schema}.api_key_revocations (
  key_id text NOT NULL,
  revoked_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT api_key_revocations_pkey PRIMARY KEY (key_id)
)`,
]

/** Schedules. Each firing updates their rows, so pages have room for that. */
const schedules = (schema: string): string[] => [
  `CREATE TABLE ${schema}.schedules (
  tenant_id text NOT NULL DEFAULT '',
  name text NOT NULL,
  source text NOT NULL DEFAULT '',
  revision bigint NOT NULL DEFAULT 0,
  kind text NOT NULL,
  payload jsonb NOT NULL,
  options jsonb NOT NULL,
  cron text,
  time_zone text NOT NULL DEFAULT 'UTC',
  every_ms bigint,
  starts_at timestamptz,
  ends_at timestamptz,
  jitter_ms integer NOT NULL DEFAULT 0,
  missed text NOT NULL DEFAULT 'once',
  missed_window_ms bigint,
  overlap text NOT NULL DEFAULT 'allow',
  paused_at timestamptz,
  paused_reason text,
  next_run_at timestamptz,
  due_at timestamptz,
  last_run_at timestamptz,
  last_job_id uuid,
  fired_count bigint NOT NULL DEFAULT 0,
  missed_count bigint NOT NULL DEFAULT 0,
  skipped_count bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schedules_pkey PRIMARY KEY (tenant_id, name),
  CONSTRAINT schedules_name_check CHECK (name <> ''),
  CONSTRAINT schedules_kind_check CHECK (kind <> ''),
  CONSTRAINT schedules_timing_check CHECK ((cron IS NULL) <> (every_ms IS NULL) AND every_ms >= 1000),
  CONSTRAINT schedules_ends_check CHECK (ends_at > starts_at),
  CONSTRAINT schedules_missed_check CHECK (missed IN ('skip', 'once', 'all') AND missed_window_ms >= 0),
  CONSTRAINT schedules_overlap_check CHECK (overlap IN ('allow', 'skip')),
  CONSTRAINT schedules_paused_check CHECK (paused_reason IS NULL OR paused_at IS NOT NULL),
  CONSTRAINT schedules_due_check CHECK ((next_run_at IS NULL) = (due_at IS NULL) AND due_at >= next_run_at),
  CONSTRAINT schedules_counters_check CHECK (
    revision >= 0 AND jitter_ms >= 0 AND fired_count >= 0 AND missed_count >= 0 AND skipped_count >= 0
  )
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX schedules_due_idx ON ${schema}.schedules (due_at) WHERE paused_at IS NULL`,
  `CREATE TABLE ${schema}.schedule_sources (
  tenant_id text NOT NULL DEFAULT '',
  source text NOT NULL,
  revision bigint NOT NULL,
  synced_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT schedule_sources_pkey PRIMARY KEY (tenant_id, source),
  CONSTRAINT schedule_sources_check CHECK (source <> '' AND revision >= 0)
)`,
]

/** The registered kinds of job, a row for each version. */
const jobKinds = (schema: string): string[] => [
  `CREATE TABLE ${schema}.job_kinds (
  kind text NOT NULL,
  version smallint NOT NULL,
  payload_schema jsonb NOT NULL,
  defaults jsonb NOT NULL DEFAULT '{}',
  description text,
  sensitive text[],
  digest text NOT NULL,
  superseded text[] NOT NULL DEFAULT '{}',
  registered_by text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  CONSTRAINT job_kinds_pkey PRIMARY KEY (kind, version),
  CONSTRAINT job_kinds_kind_check CHECK (kind ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
  CONSTRAINT job_kinds_version_check CHECK (version >= 1)
)`,
]

/**
 * The whole schema of the queue. `schema` is the quoted identifier. It shares fragments of SQL with live statements until the
 * first publication, and becomes its rendered text then (docs/decisions/0340).
 *
 * Each index is named by the queries that need it:
 * - jobs_claim_idx: claim-jobs, claim_lanes; queue-stats
 * - jobs_status_idx: list-jobs by live, failed or cancelled state; prune-jobs
 * - jobs_tenant_idx: list-jobs by tenant
 * - jobs_tenant_live_idx: own-queues, queue-keys; claim_lanes in a queue that is fair by tenant
 * - jobs_locked_by_idx: recover-jobs, list-own-leases, list-jobs by running. Its predicate is one that no finish implies, else the
 *   finish would scan its dead entries
 * - jobs_idempotency_idx: enqueue-jobs
 * - jobs_expires_idx: expire-jobs, recover-jobs
 * - dead_letter_jobs_dead_lettered_at_idx: list-dead-letters
 * - dead_letter_jobs_tenant_idx: list-dead-letters by tenant
 * - schedules_due_idx: fire-due
 * - api_keys_pkey, api_key_revocations_pkey: find-keys, revoke-key
 * - job_metadata_pkey: list-jobs by metadata, prune-jobs
 * - job_metadata_tenants_idx: list-jobs by metadata, of all tenants
 * - job_unique_slots_pkey: slots, delete-jobs, prune-jobs, requeue-dead-letters
 * - job_kinds_pkey: list-kinds, register-kinds, retire-kind
 *
 * A job of the first version of its kind has no `kind_version`: most jobs have no other version, and null takes no space.
 *
 * A job without `sensitive` hides its whole payload, and one without `open_results` its result: null takes no space here either.
 *
 * Every statement that writes a row pays for the checks of its table. So there are only three, each no dearer than a comparison; the
 * other bounds are those of domains (0001-domains.ts). The form of names is checked before they get here.
 *
 * The instants of a job default to the start of the statement that writes it, and not of its transaction, which may be old by
 * then.
 *
 * The fill factor leaves space on each page for the two row versions that the life of a job adds.
 */
export const initial: TransactionalMigration = {
  type: 'transactional',
  version: 1,
  name: 'initial',
  minCode: 1,
  up: (schema) =>
    [
      domains,
      jobs,
      jobIndexes,
      endedJobs,
      allJobs,
      executionsAndDeadLetters,
      requeuedJobs,
      workersAndQueues,
      apiKeys,
      apiKeyBuckets,
      apiSessions,
      auditLog,
      schedules,
      jobKinds,
      jobLogs,
      jobErrors,
      jobStats,
      jobMetadata,
      uniqueSlots,
      operations,
      flowControl,
      waitingCounts,
      functions,
      tenantIndexes,
      tenantViews,
      tenantJobLogs,
      tenantJobErrors,
      tenantJobStats,
      tenantClaimFacts,
      tenantKeyedJobs,
      tenantRequeuedJobs,
      operationViews,
    ]
      .flatMap((statements) => statements(schema))
      .map((sql) => ({ sql })),
  down: (schema) => [
    { sql: `DROP VIEW ${schema}.tenant_requeued_jobs` },
    { sql: `DROP VIEW ${schema}.tenant_keyed_jobs` },
    { sql: `DROP VIEW ${schema}.tenant_claim_facts` },
    { sql: `DROP VIEW ${schema}.tenant_job_stats` },
    { sql: `DROP VIEW ${schema}.tenant_job_error_days` },
    { sql: `DROP VIEW ${schema}.tenant_job_errors` },
    { sql: `DROP VIEW ${schema}.tenant_job_logs` },
    ...tenantViewNames.map((view) => ({ sql: `DROP VIEW ${schema}.${view}` })),
    ...[
      ...dropAllJobs(schema),
      ...dropFunctions(schema),
      ...dropFlowControl(schema),
      dropEndedJobs(schema),
    ].map((sql) => ({ sql })),
    ...[
      'job_stats',
      'job_stats_series',
      'job_error_days',
      'job_errors',
      'job_logs',
      'job_unique_slots',
      'operations',
      ...waitingCountTables,
      ...flowControlTables,
      'schedule_sources',
      'schedules',
      'audit_log',
      'api_key_buckets',
      'api_sessions',
      'job_kinds',
      'job_metadata',
      'api_key_revocations',
      'api_keys',
      'queues',
      'workers',
      'requeued_jobs',
      'dead_letter_jobs',
      'job_executions',
      'ended_jobs',
      'ended_days',
      'jobs',
    ].map((table) => ({
      sql: `DROP TABLE ${schema}.${table}`,
      uses: [{ table, lock: 'ACCESS EXCLUSIVE', work: 'catalog' } as const],
    })),
    ...[`DROP TYPE ${schema}.job_status`, ...dropDomains(schema)].map((sql) => ({ sql })),
  ],
}
