// The columns of every table, each said once. Rows, statements, grants and test builders derive from this; a test
// compares it with what the migrations make.
import type { ColumnType } from 'kysely'
import { actorTypes } from '../audit/actor.ts'
import { cancelReasons, executionOutcomes, type JobStatus } from '../domain/job.ts'
import { logLevels } from '../domain/log-line.ts'
import type { JsonValue } from '../domain/json.ts'
import * as limits from '../domain/limits.ts'
import { operations } from './operation-tables.ts'
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

/** The types of our columns in PostgreSQL: what node-postgres reads as each, and what it is given to write one. */
interface ValueOf {
  readonly uuid: { read: string; write: string }
  readonly text: { read: string; write: string }
  readonly 'text[]': { read: string[]; write: readonly string[] }
  readonly 'uuid[]': { read: string[]; write: readonly string[] }
  readonly 'integer[]': { read: number[]; write: readonly number[] }
  readonly smallint: { read: number; write: number }
  readonly integer: { read: number; write: number }
  readonly bigint: { read: number; write: number }
  readonly 'double precision': { read: number; write: number }
  readonly boolean: { read: boolean; write: boolean }
  readonly timestamptz: { read: Date; write: Date }
  readonly bytea: { read: Buffer; write: Buffer }
  /** Written as its text. */
  readonly jsonb: { read: JsonValue; write: string }
  readonly job_status: { read: JobStatus; write: JobStatus }
}

/** The processes that write. The owner of the tables migrates, and `readonly` reads everything. */
export type Writer = 'api' | 'worker'

export interface Column {
  readonly type: keyof ValueOf
  readonly nullable?: true
  /** The only texts that the table takes. */
  readonly oneOf?: readonly string[]
  /** What an insert that does not name the column writes: a value, or an expression of SQL. */
  readonly default?: string | number | boolean | { readonly sql: string }
  /** Who may insert it, where that is not a privilege on the whole table. */
  readonly insert?: readonly Writer[]
  /** Who may update it, where that is not a privilege on the whole table. */
  readonly update?: readonly Writer[]
}

export interface JobColumn extends Column {
  /** A member of `Job`, and of the job that the API shows. */
  readonly shown?: true
  /** Copied to the dead letter, and back from there where `api` may insert it; `shown`: a member of `DeadLetter` too. */
  readonly deadLetter?: 'copied' | 'shown'
}

export interface Table<Member extends Column = Column> {
  readonly columns: Readonly<Record<string, Member>>
  /** What the processes may do with the table as a whole. */
  readonly may: Readonly<Record<Writer, readonly ('INSERT' | 'UPDATE' | 'DELETE')[]>>
  /** Who may read it; absent: all. Who may not has no privilege on it at all. */
  readonly readBy?: readonly (Writer | 'readonly')[]
}

const everyone = ['api', 'worker'] as const
/** What a pruned job comes back with from its dead letter; an enqueue writes none of it. */
const whoRevives = ['worker', 'api'] as const
const nobody = [] as const
const statementTime = { sql: 'statement_timestamp()' } as const
const transactionTime = { sql: 'now()' } as const

/**
 * A job. Columns are granted one by one where that holds something up. Without UPDATE of `locked_by` and `lease_token`,
 * `api` cannot take a running job out of its worker's hands, whatever it sends: `jobs_running_check` ties the state to
 * the lock, and the fence of every write is the token. Without UPDATE of what a job is (kind, payload, tenant, key),
 * neither process can change the work that was asked for: what an enqueue makes of the job that waits under its unique key
 * and an edit of a waiting job, are done by functions, which refuse every other job. What `whoRevives` may insert is what a pruned
 * job comes back with from its dead letter, by whoever requeues it: a request, or the worker that carries out an operation. A worker
 * cancels and requeues for operations alone; it could end or remove a job in any case.
 */
const jobs = {
  may: { api: nobody, worker: ['DELETE'] },
  columns: {
    id: { type: 'uuid', insert: everyone, shown: true },
    queue: { type: 'text', default: 'default', insert: everyone, shown: true, deadLetter: 'shown' },
    kind: { type: 'text', insert: everyone, shown: true, deadLetter: 'shown' },
    /** Null is the first version. */
    kind_version: { type: 'smallint', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    tenant_id: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    /** Jobs of one key form a lane. */
    key: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    /** What a start costs of each rate that holds for it. Null is one. */
    weight: { type: 'integer', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    payload: { type: 'jsonb', insert: everyone, shown: true, deadLetter: 'shown' },
    metadata: { type: 'jsonb', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    status: { type: 'job_status', default: 'queued', update: everyone, shown: true },
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
    lease_token: { type: 'bigint', default: 0, insert: whoRevives, update: ['worker'], deadLetter: 'copied' },
    crashes: {
      type: 'smallint',
      default: 0,
      insert: whoRevives,
      update: ['worker'],
      shown: true,
      deadLetter: 'shown',
    },
    last_error: {
      type: 'text',
      nullable: true,
      insert: whoRevives,
      update: ['worker'],
      shown: true,
      deadLetter: 'shown',
    },
    result: { type: 'jsonb', nullable: true, update: everyone, shown: true },
    progress: { type: 'smallint', nullable: true, update: everyone, shown: true },
    progress_message: { type: 'text', nullable: true, update: everyone, shown: true },
    run_at: { type: 'timestamptz', default: statementTime, insert: everyone, update: everyone, shown: true },
    /** It counts until the job first starts; null once it has begun and goes back uncharged. */
    expires_at: { type: 'timestamptz', nullable: true, insert: everyone, update: everyone, shown: true },
    locked_at: { type: 'timestamptz', nullable: true, update: ['worker'], shown: true },
    locked_by: { type: 'text', nullable: true, update: ['worker'], shown: true },
    /** Which limits count this running job, as bits: 1 its queue's, 2 its kind's, 4 its key's. */
    counted: { type: 'smallint', nullable: true, update: everyone },
    cancel_requested: { type: 'boolean', default: false, update: everyone, shown: true },
    cancel_reason: { type: 'text', nullable: true, oneOf: cancelReasons, update: everyone, shown: true },
    idempotency_key: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'shown' },
    idempotency_fingerprint: { type: 'bytea', nullable: true, insert: everyone, deadLetter: 'copied' },
    unique_key: {
      type: 'text',
      nullable: true,
      insert: everyone,
      update: everyone,
      shown: true,
      deadLetter: 'copied',
    },
    unique_scope: {
      type: 'text',
      nullable: true,
      oneOf: uniqueScopes,
      insert: everyone,
      update: everyone,
      shown: true,
      deadLetter: 'copied',
    },
    trace_context: { type: 'text', nullable: true, insert: everyone, shown: true, deadLetter: 'copied' },
    created_at: {
      type: 'timestamptz',
      default: statementTime,
      insert: whoRevives,
      shown: true,
      deadLetter: 'shown',
    },
    updated_at: { type: 'timestamptz', default: statementTime, update: everyone, shown: true },
    /** Since when nothing is left of the job but its key and how it ended: a function writes this. */
    stripped_at: { type: 'timestamptz', nullable: true, shown: true },
    finished_at: { type: 'timestamptz', nullable: true, update: everyone, shown: true },
  },
} as const satisfies Table<JobColumn>

/** An ended attempt. */
const jobExecutions = {
  may: { api: nobody, worker: ['INSERT', 'DELETE'] },
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
  may: { api: nobody, worker: ['INSERT', 'DELETE'] },
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

/** Failures of one cause, in one queue and of one tenant. */
const jobErrors = {
  may: { api: nobody, worker: ['INSERT', 'UPDATE', 'DELETE'] },
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
    /** Of the worker that saw it first; null where the registry did not know it any more. */
    first_version: { type: 'text', nullable: true },
    worker_versions: { type: 'text[]' },
    /** The versions that are counted apart on the day of `last_seen_at`: the first that saw it on that day. */
    day_versions: { type: 'text[]', default: '{}' },
    sampled_at: { type: 'timestamptz' },
    sample_job_id: { type: 'uuid' },
    sample_error: { type: 'text' },
  },
} as const satisfies Table

/** Failures of one cause on one day that workers of one version saw. Written under the lock of the row of its cause. */
const jobErrorDays = {
  may: { api: nobody, worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    error_id: { type: 'uuid' },
    /** When the day began, in UTC. */
    day: { type: 'timestamptz' },
    /** Empty: of workers that the registry did not know any more, and of the versions beyond those that are counted apart. */
    version: { type: 'text' },
    /** That of the cause. */
    tenant_id: { type: 'text', default: '' },
    count: { type: 'bigint' },
    /** The counts of its 24 hours. */
    hours: { type: 'integer[]' },
  },
} as const satisfies Table

/** `active`: it holds a lease. `stopped`: it has left. `lost`: its lease expired, and its jobs were taken over. */
export type WorkerState = (typeof workerStates)[number]

const workerStates = ['active', 'stopped', 'lost'] as const

/** A worker process. */
const workers = {
  may: { api: nobody, worker: ['INSERT', 'DELETE'] },
  columns: {
    id: { type: 'text' },
    hostname: { type: 'text' },
    pid: { type: 'integer' },
    version: { type: 'text' },
    queues: { type: 'text[]' },
    kinds: { type: 'text[]' },
    concurrency: { type: 'integer' },
    state: { type: 'text', oneOf: workerStates, default: 'active', update: ['worker'] },
    started_at: { type: 'timestamptz', default: transactionTime },
    heartbeat_at: { type: 'timestamptz', default: transactionTime, update: ['worker'] },
    lease_expires_at: { type: 'timestamptz', update: ['worker'] },
  },
} as const satisfies Table

/**
 * What is said of a queue. `worker` may update one column that decides nothing, because the share lock by which a claim
 * meets a pause demands UPDATE of some column.
 */
const queues = {
  may: { api: nobody, worker: nobody },
  columns: {
    name: { type: 'text', insert: everyone },
    paused_at: { type: 'timestamptz', nullable: true, update: ['api'] },
    /** Whether the queue or a kind in it has a limit: then `claim_lanes` claims all of its jobs. */
    limited: { type: 'boolean', default: false, update: ['api'] },
    created_at: { type: 'timestamptz', default: transactionTime, update: ['worker'] },
  },
} as const satisfies Table

/** The columns whose definition has this in it. */
type ColumnsWith<Of extends Readonly<Record<string, Column>>, Says> = {
  [Name in keyof Of]: Of[Name] extends Says ? Name : never
}[keyof Of]

/** A column's name as members of objects have it: `tenant_id` is `tenantId`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The member that a column is. */
export function fieldOf<Name extends string>(column: Name): CamelCase<Name> {
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>
}

/** The columns of a job. */
export type JobColumnName = keyof (typeof jobs)['columns']

/** The columns that are members of `Job`. */
export type ShownColumn = ColumnsWith<(typeof jobs)['columns'], { readonly shown: true }>

/** The columns that an enqueue writes. */
export type EnqueuedColumn = ColumnsWith<(typeof jobs)['columns'], { readonly insert: typeof everyone }>

/** The columns of a job that `DeadLetter` has too. */
export type DeadLetterColumn = ColumnsWith<(typeof jobs)['columns'], { readonly deadLetter: 'shown' }>

/** The columns of a job that its dead letter has too. */
export type CopiedColumn = ColumnsWith<(typeof jobs)['columns'], { readonly deadLetter: 'copied' | 'shown' }>

/** A copied column as the dead letter has it: nothing in it is the table's own. */
type Copied<Member extends Column> = Member extends { readonly nullable: true }
  ? { readonly type: Member['type']; readonly nullable: true }
  : { readonly type: Member['type'] }

/** The names of the columns of a job whose definition is such, in its order. */
function jobColumnsThat(are: (column: JobColumn) => boolean): readonly string[] {
  return Object.entries<JobColumn>(jobs.columns).flatMap(([name, column]) => (are(column) ? [name] : []))
}

export const shownColumns = jobColumnsThat(({ shown }) => shown === true) as readonly ShownColumn[]
export const enqueuedColumns = jobColumnsThat(
  ({ insert }) => insert === everyone,
) as readonly EnqueuedColumn[]
export const deadLetterColumns = jobColumnsThat(
  ({ deadLetter }) => deadLetter === 'shown',
) as readonly DeadLetterColumn[]
export const copiedColumns = jobColumnsThat(
  ({ deadLetter }) => deadLetter !== undefined,
) as readonly CopiedColumn[]
/** What a job that was pruned comes back with from its dead letter. Its attempts begin anew. */
export const restoredColumns = copiedColumns.filter((name) => mayInsert(jobs.columns[name], 'api'))

function mayInsert({ insert }: Column, writer: Writer): boolean {
  return insert?.includes(writer) ?? false
}

const identity: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'tenant_id',
  'run_at',
  'idempotency_key',
  'idempotency_fingerprint',
  'unique_key',
  'unique_scope',
])

/** What an enqueue replaces of the job that waits under its unique key, beside its start. */
export const replacedColumns = enqueuedColumns.filter((name) => !identity.has(name))

/** The columns of a new job that the table's constants fill. */
type ConstantColumn = {
  [Name in ShownColumn]: Name extends EnqueuedColumn
    ? never
    : (typeof jobs)['columns'][Name] extends { readonly default: { readonly sql: string } }
      ? never
      : Name
}[ShownColumn]

type Constant<Member extends Column> = Member extends { readonly default: infer Default } ? Default : null

/**
 * What is the same of every job that was just written. It has the shape of the whole job, which makes it as fast to
 * complete as a job that is written out; the members that its type leaves out stand for nothing.
 */
export const newJobConstants = jsonCopy(
  Object.fromEntries(
    shownColumns.map((name) => {
      const { default: value }: Column = jobs.columns[name]
      return [fieldOf(name), typeof value === 'object' ? null : (value ?? null)]
    }),
  ),
) as { readonly [Name in ConstantColumn as CamelCase<Name>]: Constant<(typeof jobs)['columns'][Name]> }

/** V8 gives a parsed object a shape at once; one that grew by many members is a dictionary, many times slower to copy. */
export function jsonCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

const copied = Object.fromEntries(
  copiedColumns.map((name) => {
    const { type, nullable }: Column = jobs.columns[name]
    return [name, nullable === true ? { type, nullable } : { type }]
  }),
) as { readonly [Name in CopiedColumn]: Copied<(typeof jobs.columns)[Name]> }

/** A job that has failed for good, as it was. */
const deadLetterJobs = {
  may: { api: ['DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    id: { type: 'uuid', default: { sql: 'gen_random_uuid()' } },
    job_id: { type: 'uuid' },
    ...copied,
    dead_lettered_at: { type: 'timestamptz' },
    /** Of the failure that dead-lettered the job; null where it was lost. */
    fingerprint: { type: 'text', nullable: true },
    execution_history: { type: 'jsonb' },
  },
} as const satisfies Table

/**
 * The keys of the API. `api` can revoke a key and note its use. It can neither make one, nor change what one may do, nor
 * take a revocation back: whoever breaks into the API gets no key that outlives the break-in.
 */
const apiKeys = {
  may: { api: [], worker: [] },
  readBy: ['api'],
  columns: {
    id: { type: 'text' },
    created_at: { type: 'timestamptz', default: transactionTime },
    expires_at: { type: 'timestamptz', nullable: true },
    last_used_at: { type: 'timestamptz', nullable: true, update: ['api'] },
    digest: { type: 'bytea' },
    name: { type: 'text' },
    role: { type: 'text', oneOf: ['enqueue', 'read', 'operate', 'admin'] },
    permissions: { type: 'text[]', default: '{}' },
    tenant_id: { type: 'text', nullable: true },
    queues: { type: 'text[]', nullable: true },
    kinds: { type: 'text[]', nullable: true },
    rate: { type: 'jsonb', nullable: true },
    replaces: { type: 'text', nullable: true },
  },
} as const satisfies Table

/** Keys that were revoked. */
const apiKeyRevocations = {
  may: { api: [], worker: [] },
  readBy: ['api'],
  columns: {
    key_id: { type: 'text', insert: ['api'] },
    revoked_at: { type: 'timestamptz', default: transactionTime },
  },
} as const satisfies Table

/** What is left of the rate of each key. `api` takes requests out of it. */
const apiKeyBuckets = {
  may: { api: nobody, worker: nobody },
  readBy: ['api'],
  columns: {
    key_id: { type: 'text', insert: ['api'] },
    filled_at: { type: 'timestamptz', default: transactionTime, update: ['api'] },
    tokens: { type: 'double precision', insert: ['api'], update: ['api'] },
    granted: { type: 'integer', insert: ['api'], update: ['api'] },
  },
} as const satisfies Table

/** Who is signed in to the dashboard. `api` writes, reads and ends sessions. */
const apiSessions = {
  may: { api: ['DELETE'], worker: nobody },
  readBy: ['api'],
  columns: {
    id: { type: 'bytea', insert: ['api'] },
    key_id: { type: 'text', nullable: true, insert: ['api'] },
    token_proof: { type: 'bytea', nullable: true, insert: ['api'] },
    claims: { type: 'jsonb', nullable: true, insert: ['api'] },
    created_at: { type: 'timestamptz', default: transactionTime },
    expires_at: { type: 'timestamptz', insert: ['api'] },
  },
} as const satisfies Table

/**
 * Who changed what. `api` can add entries and can neither change nor remove one. It says neither the instant nor the role
 * of the database that wrote an entry: those are the database's own. `worker` removes entries past their retention. A function
 * adds those of operations, and takes the jobs out of entries that an erasure removes.
 */
const auditLog = {
  may: { api: nobody, worker: ['DELETE'] },
  readBy: ['api', 'worker'],
  columns: {
    tenant_id: { type: 'text', default: '', insert: ['api'] },
    at: { type: 'timestamptz', default: transactionTime },
    id: { type: 'uuid', default: { sql: 'gen_random_uuid()' } },
    act: { type: 'text', insert: ['api'] },
    actor_type: { type: 'text', oneOf: actorTypes, insert: ['api'] },
    actor: { type: 'text', insert: ['api'] },
    actor_name: { type: 'text', nullable: true, insert: ['api'] },
    database_role: { type: 'text', default: { sql: 'CURRENT_USER' } },
    address: { type: 'text', nullable: true, insert: ['api'] },
    request_id: { type: 'text', nullable: true, insert: ['api'] },
    count: { type: 'integer', insert: ['api'] },
    target: { type: 'text', nullable: true, insert: ['api'] },
    filter: { type: 'jsonb', nullable: true, insert: ['api'] },
    job_ids: { type: 'uuid[]', default: '{}', insert: ['api'] },
  },
} as const satisfies Table

/**
 * The kinds of job that were registered. Workers register those of their handlers, the API what it is sent: neither can
 * make a registration disappear.
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
    /** JSON pointers into the payload; null: nobody has said what of it is sensitive. */
    sensitive: { type: 'text[]', nullable: true },
    /** Of what was registered. */
    digest: { type: 'text' },
    /** The digests of what it has replaced, the latest last: none of these comes back by itself. */
    superseded: { type: 'text[]', default: '{}' },
    registered_by: { type: 'text' },
    registered_at: { type: 'timestamptz', default: transactionTime },
    last_seen_at: { type: 'timestamptz', default: transactionTime },
    retired_at: { type: 'timestamptz', nullable: true },
  },
} as const satisfies Table

/** What jobs are found by: one row for each member of a job's metadata. Written with the job, and removed with it. */
const jobMetadata = {
  may: { api: nobody, worker: ['DELETE'] },
  columns: {
    job_id: { type: 'uuid', insert: everyone },
    /** Empty where the job has none. */
    tenant_id: { type: 'text', default: '', insert: everyone },
    name: { type: 'text', insert: everyone },
    /** The first `metadataSearchedLengthMax` characters of its text. */
    value: { type: 'text', insert: everyone },
  },
} as const satisfies Table

/** Which job holds, or held, each unique key. Whoever enqueues takes it; empty tenant: of none. */
const uniqueSlots = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    tenant_id: { type: 'text', default: '' },
    kind: { type: 'text' },
    key: { type: 'text' },
    scope: { type: 'text', oneOf: uniqueScopes },
    job_id: { type: 'uuid' },
    /** Since when this job has it. */
    taken_at: { type: 'timestamptz', default: statementTime },
    expires_at: { type: 'timestamptz', nullable: true },
  },
} as const satisfies Table

/** Every table but the migration history, by its name. */
export const tables = {
  jobs,
  job_executions: jobExecutions,
  job_logs: jobLogs,
  job_errors: jobErrors,
  job_error_days: jobErrorDays,
  dead_letter_jobs: deadLetterJobs,
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

/** What node-postgres reads of a column. */
type Read<Member extends Column> =
  | (Member extends { readonly oneOf: readonly (infer Text)[] } ? Text : ValueOf[Member['type']]['read'])
  | NullOf<Member>

type Write<Member extends Column> =
  | (Member extends { readonly oneOf: readonly (infer Text)[] } ? Text : ValueOf[Member['type']]['write'])
  | NullOf<Member>

export type NullOf<Member extends Column> = Member extends { readonly nullable: true } ? null : never

/** What an insert may leave out. */
type Absent<Member extends Column> = Member extends
  | { readonly nullable: true }
  | { readonly default: unknown }
  ? undefined
  : never

type Rows<Of extends Readonly<Record<string, Column>>> = {
  [Name in keyof Of]: ColumnType<Read<Of[Name]>, Write<Of[Name]> | Absent<Of[Name]>, Write<Of[Name]>>
}

/**
 * The tables as `Kysely<Database>` takes them. A statement returns instants and documents by `epochMs` and `asText`, so
 * that what it reads does not depend on the type parsers that a caller has set.
 */
export type Database = { [Name in keyof typeof tables]: Rows<(typeof tables)[Name]['columns']> }
