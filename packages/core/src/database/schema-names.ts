import { assertSchemaName, compiler } from '@queue/postgres'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type JobStatus, jobStatuses } from '../domain/job.ts'
import type { Database } from './tables.ts'

/** The schema of a deployment that names none. */
export const schemaDefault = 'queue'

/**
 * The query builder and the quoted, schema-qualified names for every statement: none relies on `search_path`. A status
 * is a literal and not a parameter, because under a generic plan PostgreSQL cannot prove that a parameter satisfies the
 * predicate of a partial index.
 */
export interface SchemaNames {
  /** Builds statements on the tables of the schema. It has no connection. */
  readonly db: Kysely<Database>
  /** The jobs that have not succeeded, and those that have and stay there. Claims and all changes work here. */
  readonly jobs: RawBuilder<unknown>
  /** Jobs that have succeeded and left `jobs`. */
  readonly endedJobs: RawBuilder<unknown>
  readonly endedDays: RawBuilder<unknown>
  /** Both, to read. */
  readonly allJobs: RawBuilder<unknown>
  readonly executions: RawBuilder<unknown>
  readonly logs: RawBuilder<unknown>
  readonly errors: RawBuilder<unknown>
  readonly errorDays: RawBuilder<unknown>
  readonly stats: RawBuilder<unknown>
  readonly statsSeries: RawBuilder<unknown>
  readonly deadLetters: RawBuilder<unknown>
  readonly requeuedJobs: RawBuilder<unknown>
  readonly jobMetadata: RawBuilder<unknown>
  readonly uniqueSlots: RawBuilder<unknown>
  /**
   * The relations that together have all jobs, and from which pages of them are read in the order of an index: each by itself, so that
   * PostgreSQL does not sort them together.
   */
  readonly jobLists: readonly RawBuilder<unknown>[]
  /** The relation from which pages of dead letters are read in the order of an index. */
  readonly deadLetterList: RawBuilder<unknown>
  /**
   * Whether views replace the tables, as in a tenant's requests. A join reads such a view in full, so statements avoid
   * joins where they can.
   */
  readonly behindViews: boolean
  readonly auditLog: RawBuilder<unknown>
  readonly operations: RawBuilder<unknown>
  readonly workers: RawBuilder<unknown>
  readonly queues: RawBuilder<unknown>
  readonly limits: RawBuilder<unknown>
  readonly limitCounters: RawBuilder<unknown>
  readonly waitingCounts: RawBuilder<unknown>
  readonly lanes: RawBuilder<unknown>
  readonly laneTurns: RawBuilder<unknown>
  readonly laneEvents: RawBuilder<unknown>
  /** The function that claims jobs in lanes. */
  readonly claimLanes: RawBuilder<unknown>
  readonly jobStatus: RawBuilder<unknown>
  /** The function that enqueues jobs of which some may exist already. */
  readonly enqueueJobs: RawBuilder<unknown>
  /** The function that strips ended jobs with an idempotency key, so that only their receipts remain. */
  readonly stripJobs: RawBuilder<unknown>
  readonly status: Readonly<Record<JobStatus, RawBuilder<JobStatus>>>
}

/** The names in use, by schema. A schema that is no longer used is collected, with its names and statements. */
const namesBySchema = new Map<string, WeakRef<SchemaNames>>()
const collected = new FinalizationRegistry<string>((schema) => {
  if (namesBySchema.get(schema)?.deref() === undefined) namesBySchema.delete(schema)
})

/**
 * The names for `schema`: the same object as long as a reference to it exists. Throws `QueueError` (`invalid_options`)
 * unless the schema is a plain lower-case identifier.
 */
export function schemaNames(schema: string): SchemaNames {
  assertSchemaName(schema)
  const inUse = namesBySchema.get(schema)?.deref()
  if (inUse !== undefined) return inUse
  const names = namesIn(schema)
  namesBySchema.set(schema, new WeakRef(names))
  collected.register(names, schema)
  return names
}

function namesIn(schema: string): SchemaNames {
  const jobStatus = sql.id(schema, 'job_status')
  const literal = (status: JobStatus) => [status, sql<JobStatus>`${sql.lit(status)}::${jobStatus}`] as const
  const jobs = sql.id(schema, 'jobs')
  const deadLetters = sql.id(schema, 'dead_letter_jobs')
  return {
    db: compiler.withSchema(schema),
    jobs,
    endedJobs: sql.id(schema, 'ended_jobs'),
    endedDays: sql.id(schema, 'ended_days'),
    allJobs: sql.id(schema, 'all_jobs'),
    executions: sql.id(schema, 'job_executions'),
    logs: sql.id(schema, 'job_logs'),
    errors: sql.id(schema, 'job_errors'),
    errorDays: sql.id(schema, 'job_error_days'),
    stats: sql.id(schema, 'job_stats'),
    statsSeries: sql.id(schema, 'job_stats_series'),
    deadLetters,
    requeuedJobs: sql.id(schema, 'requeued_jobs'),
    jobMetadata: sql.id(schema, 'job_metadata'),
    uniqueSlots: sql.id(schema, 'job_unique_slots'),
    jobLists: [jobs, sql.id(schema, 'archived_jobs')],
    deadLetterList: deadLetters,
    behindViews: false,
    auditLog: sql.id(schema, 'audit_log'),
    operations: sql.id(schema, 'operations'),
    workers: sql.id(schema, 'workers'),
    queues: sql.id(schema, 'queues'),
    limits: sql.id(schema, 'limits'),
    limitCounters: sql.id(schema, 'limit_counters'),
    waitingCounts: sql.id(schema, 'waiting_counts'),
    lanes: sql.id(schema, 'lanes'),
    laneTurns: sql.id(schema, 'lane_turns'),
    laneEvents: sql.id(schema, 'lane_events'),
    claimLanes: sql.id(schema, 'claim_lanes'),
    jobStatus,
    enqueueJobs: sql.id(schema, 'enqueue_jobs'),
    stripJobs: sql.id(schema, 'strip_jobs'),
    status: Object.fromEntries(jobStatuses.map(literal)) as Record<JobStatus, RawBuilder<JobStatus>>,
  }
}

/** Caches the result of `make` for each schema. */
export function perSchema<Value>(make: (names: SchemaNames) => Value): (names: SchemaNames) => Value {
  const cache = new WeakMap<SchemaNames, Value>()
  return (names) => {
    const value = cache.get(names) ?? make(names)
    cache.set(names, value)
    return value
  }
}
