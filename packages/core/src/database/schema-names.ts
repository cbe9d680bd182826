import { assertSchemaName, compiler } from '@queue/postgres'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type JobStatus, jobStatuses } from '../domain/job.ts'
import type { Database } from './tables.ts'

/** The schema that a deployment uses when it says nothing else. */
export const schemaDefault = 'queue'

/**
 * The builder and the quoted, schema-qualified names that every statement is made of: `search_path` is never relied on.
 * A status is written as a literal and not as a parameter: under a generic plan PostgreSQL cannot prove that a
 * parameter satisfies a partial index's predicate.
 */
export interface SchemaNames {
  /** Builds statements on the tables of the schema. It is connected to nothing. */
  readonly db: Kysely<Database>
  readonly jobs: RawBuilder<unknown>
  readonly executions: RawBuilder<unknown>
  readonly logs: RawBuilder<unknown>
  readonly errors: RawBuilder<unknown>
  readonly errorDays: RawBuilder<unknown>
  readonly stats: RawBuilder<unknown>
  readonly statsSeries: RawBuilder<unknown>
  readonly deadLetters: RawBuilder<unknown>
  readonly jobMetadata: RawBuilder<unknown>
  readonly uniqueSlots: RawBuilder<unknown>
  /** The jobs and dead letters where pages of them are read in the order of an index. */
  readonly jobList: RawBuilder<unknown>
  readonly deadLetterList: RawBuilder<unknown>
  /** Where views stand for the tables: a join reads such a view as a whole, and statements that can do without one do. */
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
  /** The function that changes a job which waits under its unique key. */
  readonly changeWaiting: RawBuilder<unknown>
  /** The function that removes what ended jobs with an idempotency key carried. */
  readonly stripJobs: RawBuilder<unknown>
  readonly status: Readonly<Record<JobStatus, RawBuilder<JobStatus>>>
}

/** The names that somebody uses. A schema that nobody uses any more takes its names and its statements along. */
const known = new Map<string, WeakRef<SchemaNames>>()
const unused = new FinalizationRegistry<string>((schema) => {
  if (known.get(schema)?.deref() === undefined) known.delete(schema)
})

/**
 * The names for `schema`, the same object for as long as somebody has it. Throws `QueueError` (`invalid_options`) unless
 * it is a plain lower-case identifier.
 */
export function schemaNames(schema: string): SchemaNames {
  assertSchemaName(schema)
  const inUse = known.get(schema)?.deref()
  if (inUse !== undefined) return inUse
  const names = namesIn(schema)
  known.set(schema, new WeakRef(names))
  unused.register(names, schema)
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
    executions: sql.id(schema, 'job_executions'),
    logs: sql.id(schema, 'job_logs'),
    errors: sql.id(schema, 'job_errors'),
    errorDays: sql.id(schema, 'job_error_days'),
    stats: sql.id(schema, 'job_stats'),
    statsSeries: sql.id(schema, 'job_stats_series'),
    deadLetters,
    jobMetadata: sql.id(schema, 'job_metadata'),
    uniqueSlots: sql.id(schema, 'job_unique_slots'),
    jobList: jobs,
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
    changeWaiting: sql.id(schema, 'change_waiting'),
    stripJobs: sql.id(schema, 'strip_jobs'),
    status: Object.fromEntries(jobStatuses.map(literal)) as Record<JobStatus, RawBuilder<JobStatus>>,
  }
}

/** What `make` gives for a schema, made at its first use. */
export function perSchema<Made>(make: (names: SchemaNames) => Made): (names: SchemaNames) => Made {
  const cached = new WeakMap<SchemaNames, Made>()
  return (names) => {
    const made = cached.get(names) ?? make(names)
    cached.set(names, made)
    return made
  }
}
