// The columns of every table, each declared once. Rows, statements, grants and test builders derive from these
// declarations. A test compares them with the tables that the migrations make.
import type { ColumnType } from 'kysely'
import { cancelReasons, executionOutcomes } from '../domain/job.ts'
import { firstVersion } from '../domain/kind-version.ts'
import { logLevels } from '../domain/log-line.ts'
import * as limits from '../domain/limits.ts'
import { apiKeyBuckets, apiKeyRevocations, apiKeys, apiSessions, auditLog } from './access-tables.ts'
import { operations } from './operation-tables.ts'
import { type CamelCase, toCamelCase } from '../domain/names.ts'
import { uniqueScopes } from '../domain/unique.ts'
import {
  laneEvents,
  lanes,
  laneTurns,
  limitCounters,
  limitRules,
  waitingCounts,
} from './flow-control-tables.ts'
import { scheduleSources, schedules } from './schedule-tables.ts'
import { jobStats, jobStatsSeries } from './stats-tables.ts'
import type { Column, JobColumn, Table, ValueOf, Writer } from './table.ts'

const everyone = ['api', 'worker'] as const
/**
 * Who may insert the columns that no request names: the instants of every insert, and what a requeue sets when it
 * restores a pruned job from its dead letter.
 */
const requeuers = ['worker', 'api'] as const
const none = [] as const
const statementTime = { sql: 'statement_timestamp()' } as const
const transactionTime = { sql: 'now()' } as const

/**
 * A job. Privileges are granted by column where that protects something. Without UPDATE of `locked_by` and
 * `lease_token`, `api` cannot take a running job from its worker, whatever it sends: `jobs_running_check` ties the
 * state to the lock, and the token is the fence of every write. Without UPDATE of kind, payload, tenant and key,
 * neither process can change the work that was enqueued. Functions change the waiting job of a unique key and edit
 * waiting jobs, and refuse all others. `requeuers` can restore a pruned job from its dead letter: `api` for a request,
 * `worker` when it carries out an operation. A worker cancels and requeues jobs only for operations; it could end or
 * remove a job in any case.
 */
const jobs = {
  may: { api: none, worker: ['DELETE'] },
  columns: {
    id: { type: 'uuid', insert: everyone, shown: true },
    queue: { type: 'text', default: 'default', insert: everyone, shown: true, deadLetter: 'shown' },
    kind: { type: 'text', insert: everyone, shown: true, deadLetter: 'shown' },
    kind_version: {
      type: 'smallint',
      nullable: true,
      nullMeans: firstVersion,
      insert: everyone,
      shown: true,
      deadLetter: 'shown',
    },
    tenant_id: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    /** The jobs of one key form a lane. */
    key: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    /** How many tokens of each rate limit that applies a start costs. */
    weight: {
      type: 'integer',
      nullable: true,
      nullMeans: limits.jobWeightDefault,
      insert: everyone,
      shown: true,
      deadLetter: 'shown',
    },
    payload: { type: 'jsonb', insert: everyone, shown: true, deadLetter: 'shown' },
    metadata: { type: 'jsonb', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    status: {
      type: 'job_status',
      default: 'queued',
      update: everyone,
      shown: true,
      whenArchived: 'succeeded',
    },
    priority: {
      type: 'smallint',
      default: limits.priorityDefault,
      insert: everyone,
      shown: true,
      deadLetter: 'shown',
    },
    attempts: { type: 'integer', default: 0, update: everyone, shown: true, deadLetter: 'shown' },
    max_attempts: {
      type: 'integer',
      default: limits.maxAttemptsDefault,
      insert: everyone,
      shown: true,
      deadLetter: 'shown',
    },
    timeout_ms: { type: 'integer', nullable: true, insert: everyone, shown: true, deadLetter: 'copied' },
    retry_policy: { type: 'jsonb', nullable: true, insert: everyone, shown: true, deadLetter: 'copied' },
    lease_token: { type: 'bigint', default: 0, insert: requeuers, update: ['worker'], deadLetter: 'copied' },
    crashes: {
      type: 'smallint',
      default: 0,
      insert: requeuers,
      update: ['worker'],
      shown: true,
      deadLetter: 'shown',
    },
    last_error: {
      type: 'text',
      nullable: true,
      insert: requeuers,
      update: ['worker'],
      shown: true,
      deadLetter: 'shown',
    },
    result: { type: 'jsonb', nullable: true, update: everyone, shown: true },
    progress: { type: 'smallint', nullable: true, update: everyone, shown: true },
    progress_message: { type: 'text', nullable: true, update: everyone, shown: true },
    run_at: { type: 'timestamptz', default: statementTime, insert: everyone, update: everyone, shown: true },
    /** Applies until the job first starts. Set to null when a started job goes back uncharged. */
    expires_at: { type: 'timestamptz', nullable: true, insert: everyone, update: everyone, shown: true },
    locked_at: { type: 'timestamptz', nullable: true, update: ['worker'], shown: true, whenArchived: null },
    locked_by: { type: 'text', nullable: true, update: ['worker'], shown: true, whenArchived: null },
    /**
     * The start and the worker of the attempt that succeeded. Nothing follows it, so it is kept here and has no row in
     * `job_executions`.
     */
    started_at: { type: 'timestamptz', nullable: true, update: ['worker'] },
    worker_id: { type: 'text', nullable: true, update: ['worker'] },
    /** Which limits count this running job, as bits: 1 that of its queue, 2 that of its kind, 4 that of its key. */
    counted: { type: 'smallint', nullable: true, update: everyone, whenArchived: null },
    cancel_requested: { type: 'boolean', default: false, update: everyone, shown: true },
    cancel_reason: {
      type: 'text',
      nullable: true,
      oneOf: cancelReasons,
      update: everyone,
      shown: true,
      whenArchived: null,
    },
    idempotency_key: {
      type: 'text',
      nullable: true,
      insert: everyone,
      shown: true,
      deadLetter: 'shown',
      whenArchived: null,
    },
    idempotency_fingerprint: {
      type: 'bytea',
      nullable: true,
      insert: everyone,
      deadLetter: 'copied',
      whenArchived: null,
    },
    unique_key: {
      type: 'text',
      nullable: true,
      insert: everyone,
      update: everyone,
      shown: true,
      deadLetter: 'copied',
      whenArchived: null,
    },
    unique_scope: {
      type: 'text',
      nullable: true,
      oneOf: uniqueScopes,
      insert: everyone,
      update: everyone,
      shown: true,
      deadLetter: 'copied',
      whenArchived: null,
    },
    trace_context: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'copied' },
    /** What of the payload is hidden: JSON pointers. Null: all of it. A payload never hides less than when it was written. */
    sensitive: { type: 'text[]', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    /** Whether the result is shown to callers who may not read payloads. */
    open_results: {
      type: 'boolean',
      nullable: true,
      nullMeans: false,
      insert: everyone,
      shown: true,
      deadLetter: 'copied',
    },
    created_at: {
      type: 'timestamptz',
      default: statementTime,
      insert: requeuers,
      shown: true,
      deadLetter: 'shown',
    },
    updated_at: {
      type: 'timestamptz',
      default: statementTime,
      insert: requeuers,
      update: everyone,
      shown: true,
    },
    /** When everything but the key and the outcome of the job was removed. Only a function writes it. */
    stripped_at: { type: 'timestamptz', nullable: true, shown: true, whenArchived: null },
    finished_at: { type: 'timestamptz', nullable: true, update: everyone, shown: true },
  },
} as const satisfies Table<JobColumn>

type ArchivedColumn = Exclude<
  keyof (typeof jobs)['columns'],
  ColumnsWith<(typeof jobs)['columns'], { readonly whenArchived: unknown }>
>

/**
 * A job that has succeeded, and that its day alone may remove: see `staysInJobs`. Only the statement that ends a job writes its row,
 * and nothing changes it.
 */
const endedJobs = {
  may: { api: none, worker: ['INSERT', 'DELETE'] },
  columns: {
    ...(Object.fromEntries(
      Object.entries<JobColumn>(jobs.columns).flatMap(([name, { type, nullable, whenArchived }]) =>
        whenArchived === undefined ? [[name, nullable === true ? { type, nullable } : { type }]] : [],
      ),
    ) as { readonly [Name in ArchivedColumn]: Copied<(typeof jobs)['columns'][Name]> }),
    finished_at: { type: 'timestamptz' },
    /** Workers lock rows, for which PostgreSQL requires UPDATE of some column. */
    worker_id: { type: 'text', nullable: true, update: ['worker'] },
  },
} as const satisfies Table

/** The days of `ended_jobs`: a leaf of that table for each. From yesterday to the last one there is no gap. */
const endedDays = {
  may: { api: none, worker: none },
  columns: {
    /** When the day begins, in UTC. */
    day: { type: 'timestamptz' },
    /** The smallest id of the next day. */
    below_id: { type: 'uuid' },
  },
} as const satisfies Table

/** An ended attempt. */
const jobExecutions = {
  may: { api: none, worker: ['INSERT', 'DELETE'] },
  columns: {
    job_id: { type: 'uuid' },
    lease_token: { type: 'bigint' },
    attempt: { type: 'integer' },
    worker_id: { type: 'text' },
    started_at: { type: 'timestamptz' },
    finished_at: { type: 'timestamptz' },
    outcome: { type: 'text', oneOf: executionOutcomes },
    error: { type: 'text', nullable: true },
    error_class: { type: 'text', nullable: true },
    /** What names the cause of a failure. */
    fingerprint: { type: 'text', nullable: true },
  },
} as const satisfies Table

/** A line that a handler has logged. */
const jobLogs = {
  may: { api: none, worker: ['INSERT', 'DELETE'] },
  columns: {
    job_id: { type: 'uuid' },
    lease_token: { type: 'bigint' },
    line: { type: 'integer' },
    attempt: { type: 'integer' },
    at: { type: 'timestamptz' },
    level: { type: 'text', oneOf: logLevels },
    message: { type: 'text' },
    fields: { type: 'jsonb', nullable: true },
  },
} as const satisfies Table

/** An error group: the failures with one fingerprint, in one queue and of one tenant. */
const jobErrors = {
  may: { api: none, worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    id: { type: 'uuid', default: { sql: 'gen_random_uuid()' } },
    tenant_id: { type: 'text', default: '' },
    queue: { type: 'text' },
    fingerprint: { type: 'text' },
    kind: { type: 'text' },
    error_class: { type: 'text' },
    count: { type: 'bigint' },
    first_seen_at: { type: 'timestamptz' },
    last_seen_at: { type: 'timestamptz' },
    /** The version of the worker that saw the failure first; null where the registry no longer listed that worker. */
    first_version: { type: 'text', nullable: true },
    worker_versions: { type: 'text[]' },
    /** The versions that are counted separately on the day of `last_seen_at`: the first that saw the failure on that day. */
    day_versions: { type: 'text[]', default: '{}' },
    sampled_at: { type: 'timestamptz' },
    /** Null once the job was erased. */
    sample_job_id: { type: 'uuid', nullable: true },
    sample_error: { type: 'text' },
  },
} as const satisfies Table

/**
 * The failures of an error group on one day, by the version of the workers that saw them. Written under the lock of the
 * group's row.
 */
const jobErrorDays = {
  may: { api: none, worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    error_id: { type: 'uuid' },
    /** The start of the day, in UTC. */
    day: { type: 'timestamptz' },
    /** Empty: workers that the registry no longer listed, and the versions beyond those that are counted separately. */
    version: { type: 'text' },
    /** The tenant of the error group. */
    tenant_id: { type: 'text', default: '' },
    count: { type: 'bigint' },
    /** The counts of the day's 24 hours. */
    hours: { type: 'integer[]' },
  },
} as const satisfies Table

/** `active`: it holds a lease. `stopped`: it shut down. `lost`: its lease expired, and its jobs were recovered. */
export type WorkerState = (typeof workerStates)[number]

const workerStates = ['active', 'stopped', 'lost'] as const

/** A worker process. */
const workers = {
  may: { api: none, worker: ['INSERT', 'DELETE'] },
  columns: {
    id: { type: 'text' },
    hostname: { type: 'text' },
    pid: { type: 'integer' },
    version: { type: 'text' },
    /** The version of the time zone data, by which it computes the instants of schedules. */
    zone_version: { type: 'text' },
    queues: { type: 'text[]' },
    kinds: { type: 'text[]' },
    concurrency: { type: 'integer' },
    state: { type: 'text', oneOf: workerStates, default: 'active', update: ['worker'] },
    started_at: { type: 'timestamptz', default: transactionTime },
    heartbeat_at: { type: 'timestamptz', default: transactionTime, update: ['worker'] },
    lease_expires_at: { type: 'timestamptz', update: ['worker'] },
    /** The slowest claim of the last interval in which a claim took a second or longer, and the end of that interval. */
    slow_claim_ms: { type: 'integer', nullable: true, update: ['worker'] },
    slow_claim_at: { type: 'timestamptz', nullable: true, update: ['worker'] },
  },
} as const satisfies Table

/**
 * The state of a queue. `worker` may update one column without a meaning, because the share lock that makes a claim
 * wait for a pause requires UPDATE of some column.
 */
const queues = {
  may: { api: none, worker: none },
  columns: {
    name: { type: 'text', insert: everyone },
    paused_at: { type: 'timestamptz', nullable: true, update: ['api'] },
    /** Whether the queue or a kind in it has a limit. If so, `claim_lanes` claims all of its jobs. */
    limited: { type: 'boolean', default: false, update: ['api'] },
    created_at: { type: 'timestamptz', default: transactionTime, update: ['worker'] },
  },
} as const satisfies Table

/** The names of the columns whose definition has this feature. */
type ColumnsWith<Of extends Readonly<Record<string, Column>>, Feature> = {
  [Name in keyof Of]: Of[Name] extends Feature ? Name : never
}[keyof Of]

/** The columns of a job. */
export type JobColumnName = keyof (typeof jobs)['columns']

/** The columns that are members of `Job`. */
export type ShownColumn = ColumnsWith<(typeof jobs)['columns'], { readonly shown: true }>

/** The columns that an enqueue writes. */
export type EnqueuedColumn = ColumnsWith<(typeof jobs)['columns'], { readonly insert: typeof everyone }>

/** The columns of a job that are members of `DeadLetter`. */
export type DeadLetterColumn = ColumnsWith<(typeof jobs)['columns'], { readonly deadLetter: 'shown' }>

/** The columns of a job that its dead letter has too. */
export type CopiedColumn = ColumnsWith<(typeof jobs)['columns'], { readonly deadLetter: 'copied' | 'shown' }>

/** The definition of a copied column in the table of dead letters: it has no default and no grants of its own. */
type Copied<Member extends Column> = Member extends { readonly nullable: true }
  ? { readonly type: Member['type']; readonly nullable: true }
  : { readonly type: Member['type'] }

/** The columns of a job in `ended_jobs`. */
export const archivedColumns = Object.keys(endedJobs.columns) as readonly ArchivedColumn[]

/** The names of the columns whose definition passes the test, in the order of the table. */
function jobColumnsWhere(matches: (column: JobColumn) => boolean): readonly string[] {
  return Object.entries<JobColumn>(jobs.columns).flatMap(([name, column]) => (matches(column) ? [name] : []))
}

export const shownColumns = jobColumnsWhere(({ shown }) => shown === true) as readonly ShownColumn[]
export const enqueuedColumns = jobColumnsWhere(
  ({ insert }) => insert === everyone,
) as readonly EnqueuedColumn[]
export const deadLetterColumns = jobColumnsWhere(
  ({ deadLetter }) => deadLetter === 'shown',
) as readonly DeadLetterColumn[]
export const copiedColumns = jobColumnsWhere(
  ({ deadLetter }) => deadLetter !== undefined,
) as readonly CopiedColumn[]
/** The columns that a requeue restores from the dead letter of a pruned job. Its attempts start again at 0. */
export const restoredColumns = copiedColumns.filter((name) => mayInsert(jobs.columns[name], 'api'))

function mayInsert({ insert }: Column, writer: Writer): boolean {
  return insert?.includes(writer) ?? false
}

/** Columns of a waiting job that an enqueue with `replace` keeps, or sets by itself. */
const fixedColumns: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'tenant_id',
  'run_at',
  'idempotency_key',
  'idempotency_fingerprint',
  'unique_key',
  'unique_scope',
])

/** The columns that an enqueue with `replace` takes over from the request, besides the start. */
export const replacedColumns = enqueuedColumns.filter((name) => !fixedColumns.has(name))

/** The columns that have the same value in every new job. */
type ConstantColumn = {
  [Name in ShownColumn]: Name extends EnqueuedColumn
    ? never
    : (typeof jobs)['columns'][Name] extends { readonly default: { readonly sql: string } }
      ? never
      : Name
}[ShownColumn]

type Constant<Member extends Column> = Member extends { readonly default: infer Default } ? Default : null

/**
 * The members that are the same in every new job. The object has the shape of a complete job, which makes adding the
 * other members as fast as writing out a literal. Members that its type leaves out are placeholders.
 */
export const newJobConstants = jsonCopy(
  Object.fromEntries(
    shownColumns.map((name) => {
      const { default: value }: Column = jobs.columns[name]
      return [toCamelCase(name), typeof value === 'object' ? null : (value ?? null)]
    }),
  ),
) as { readonly [Name in ConstantColumn as CamelCase<Name>]: Constant<(typeof jobs)['columns'][Name]> }

/**
 * Copies a value through JSON. V8 gives a parsed object a fixed shape at once. An object that grew member by member is
 * a dictionary, which is many times slower to copy.
 */
export function jsonCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const copiedDefinitions = Object.fromEntries(
  copiedColumns.map((name) => {
    const { type, nullable }: Column = jobs.columns[name]
    return [name, nullable === true ? { type, nullable } : { type }]
  }),
) as { readonly [Name in CopiedColumn]: Copied<(typeof jobs.columns)[Name]> }

/**
 * The dead letter of a job that has failed for good, with its values at that time. `api` inserts one again when it
 * undoes a requeue.
 */
const deadLetterJobs = {
  may: { api: ['INSERT', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    id: { type: 'uuid', default: { sql: 'gen_random_uuid()' } },
    job_id: { type: 'uuid' },
    ...copiedDefinitions,
    dead_lettered_at: { type: 'timestamptz' },
    /**
     * The fingerprint of the last failure; null where the job was lost. `api` locks dead letters, for which PostgreSQL
     * requires UPDATE on some column.
     */
    fingerprint: { type: 'text', nullable: true, update: ['api'] },
    execution_history: { type: 'jsonb' },
  },
} as const satisfies Table

/** What a requeue has changed of a job, and the dead letter that it has removed, for its undo. */
const requeuedJobs = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    job_id: { type: 'uuid' },
    /** The `updated_at` that the requeue gave the job. */
    requeued_at: { type: 'timestamptz' },
    tenant_id: { type: 'text', nullable: true },
    job: { type: 'jsonb' },
    /** Null if the job had none. */
    dead_letter: { type: 'jsonb', nullable: true },
  },
} as const satisfies Table

/**
 * The registered kinds. Workers register the kinds of their handlers, and the API those that it is sent. Neither can
 * remove a registration.
 */
const jobKinds = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE'] },
  columns: {
    kind: { type: 'text' },
    version: { type: 'smallint' },
    /** JSON Schema 2020-12. */
    payload_schema: { type: 'jsonb' },
    defaults: { type: 'jsonb', default: '{}' },
    description: { type: 'text', nullable: true },
    /** JSON pointers into the payload; null if nothing was declared sensitive. */
    sensitive: { type: 'text[]', nullable: true },
    /** The digest of this registration. */
    digest: { type: 'text' },
    /**
     * The digests of the registrations that it replaced, the latest last. A worker with an older release does not bring
     * one of them back.
     */
    superseded: { type: 'text[]', default: '{}' },
    registered_by: { type: 'text' },
    registered_at: { type: 'timestamptz', default: transactionTime },
    last_seen_at: { type: 'timestamptz', default: transactionTime },
    retired_at: { type: 'timestamptz', nullable: true },
  },
} as const satisfies Table

/** The index of jobs by metadata: one row for each member of a job's metadata, written and removed with the job. */
const jobMetadata = {
  may: { api: none, worker: ['DELETE'] },
  columns: {
    job_id: { type: 'uuid', insert: everyone },
    /** Empty where the job has no tenant. */
    tenant_id: { type: 'text', default: '', insert: everyone },
    name: { type: 'text', insert: everyone },
    /** The first `metadataSearchedLengthMax` characters of the value's text. */
    value: { type: 'text', insert: everyone },
  },
} as const satisfies Table

/** Which job holds, or held, each unique key. Every enqueue can take a key. Empty tenant: none. */
const uniqueSlots = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    tenant_id: { type: 'text', default: '' },
    kind: { type: 'text' },
    key: { type: 'text' },
    scope: { type: 'text', oneOf: uniqueScopes },
    job_id: { type: 'uuid' },
    /** Since when this job holds the key. */
    taken_at: { type: 'timestamptz', default: statementTime },
    expires_at: { type: 'timestamptz', nullable: true },
  },
} as const satisfies Table

/** All tables but the migration history, by name. */
export const tables = {
  jobs,
  ended_jobs: endedJobs,
  ended_days: endedDays,
  job_executions: jobExecutions,
  job_logs: jobLogs,
  job_errors: jobErrors,
  job_error_days: jobErrorDays,
  dead_letter_jobs: deadLetterJobs,
  requeued_jobs: requeuedJobs,
  workers,
  queues,
  api_keys: apiKeys,
  api_key_revocations: apiKeyRevocations,
  api_key_buckets: apiKeyBuckets,
  api_sessions: apiSessions,
  audit_log: auditLog,
  schedules,
  schedule_sources: scheduleSources,
  job_kinds: jobKinds,
  job_metadata: jobMetadata,
  job_unique_slots: uniqueSlots,
  job_stats: jobStats,
  job_stats_series: jobStatsSeries,
  operations,
  limits: limitRules,
  limit_counters: limitCounters,
  waiting_counts: waitingCounts,
  lanes,
  lane_turns: laneTurns,
  lane_events: laneEvents,
} as const satisfies Readonly<Record<string, Table>>

/** The type that node-postgres reads for a column. */
type Read<Member extends Column> =
  | (Member extends { readonly oneOf: readonly (infer Text)[] } ? Text : ValueOf[Member['type']]['read'])
  | NullOf<Member>

type Write<Member extends Column> =
  | (Member extends { readonly oneOf: readonly (infer Text)[] } ? Text : ValueOf[Member['type']]['write'])
  | NullOf<Member>

export type NullOf<Member extends Column> = Member extends { readonly nullable: true } ? null : never

/** Undefined where an insert can leave out the column. */
type Absent<Member extends Column> = Member extends
  | { readonly nullable: true }
  | { readonly default: unknown }
  ? undefined
  : never

type Rows<Of extends Readonly<Record<string, Column>>> = {
  [Name in keyof Of]: ColumnType<Read<Of[Name]>, Write<Of[Name]> | Absent<Of[Name]>, Write<Of[Name]>>
}

/**
 * The tables in the form of `Kysely<Database>`. Statements return instants and documents through `epochMs` and
 * `asText`, so that reading them does not depend on the type parsers of the caller's pool.
 */
export type Database = { [Name in keyof typeof tables]: Rows<(typeof tables)[Name]['columns']> }
