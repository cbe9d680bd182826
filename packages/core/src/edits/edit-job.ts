// queued | retrying stay so, with another priority, time, bound, weight, metadata or payload. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { InvalidInput, InvalidTransition, QueueError } from '../domain/errors.ts'
import { type Job, jobFields } from '../domain/job.ts'
import { type JobDefinition, parseOrThrow } from '../domain/job-definition.ts'
import type { JsonValue } from '../domain/json.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { jobWeightDefault } from '../domain/limits.ts'
import type { JobMetadata } from '../domain/metadata.ts'
import { mask } from '../domain/sensitive.ts'

const editFields = {
  /** 0 to 9; lower runs first. */
  priority: jobFields.priority.optional(),
  /** The earliest start; a past instant counts as now. */
  runAt: jobFields.runAt.optional(),
  /** How often it may be tried, more than it was already: up to 100. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take; null: what its kind or the worker says. */
  timeoutMs: jobFields.timeoutMs.nullable().optional(),
  /** How many tokens its start costs of each rate: 1 to 1 000 000. */
  weight: jobFields.weight.optional(),
  /** Other metadata in the place of all that it has; null: none. */
  metadata: jobFields.metadata.nullable().optional(),
}
const editSchema = z.strictObject(editFields)

/** What changes of a waiting job; what is absent stays. */
export type JobEdit = OptionsOf<typeof editFields> & {
  /** Another payload, checked by the definition of its kind. */
  readonly work?: {
    readonly definition: Pick<JobDefinition, 'create'>
    readonly payload: unknown
    /** Default: the newest version whose schema accepts the payload. */
    readonly version?: number | undefined
  }
}

export interface EditOptions {
  /** The `updatedAt` of the job as the caller has read it: where it has changed since, nothing is. */
  readonly ifUpdatedAt?: Date | undefined
}

export interface EditedJob {
  readonly job: Job
  /** What was there before, of each member that was given. */
  readonly previous: Partial<
    Pick<
      Job,
      'priority' | 'runAt' | 'maxAttempts' | 'timeoutMs' | 'weight' | 'metadata' | 'payload' | 'kindVersion'
    >
  >
}

type Outcome = 'edited' | 'not_waiting' | 'changed' | 'other_kind' | 'attempts_used'

type EditRow = JobRow & { readonly outcome: Outcome; readonly previous: string | null }

/**
 * Changes a job that waits. The function of the schema that does it locks the job and demands that it waits: an edit and a claim
 * never mix. Throws `job_not_found`, `InvalidTransition`, `job_changed` and `InvalidInput`.
 */
export async function editJob(
  database: QueueDatabase,
  id: string,
  { changes, ifUpdatedAt }: EditOptions & { readonly changes: JobEdit },
): Promise<EditedJob> {
  const [row] = await database.run(editStatement(database, { id, ifUpdatedAt, json: toJson(changes) }))
  if (row === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  const job = decodeJob(row)
  if (row.outcome !== 'edited') throw refusalOf(row.outcome, job)
  return { job, previous: decodePrevious(row.previous) }
}

interface Edit extends EditOptions {
  readonly id: string
  readonly json: Readonly<Record<string, unknown>>
}

function editStatement(database: QueueDatabase, { id, ifUpdatedAt, json }: Edit): RawBuilder<EditRow> {
  const { schema, names } = database
  const edit = sql.id(schema, names.behindViews ? 'edit_tenant_job' : 'edit_job')
  const since =
    ifUpdatedAt === undefined ? sql`NULL` : sql`to_timestamp(${ifUpdatedAt.getTime()}::float8 / 1000)`
  return sql<EditRow>`
    SELECT e.outcome, e.previous::text AS previous, ${jobColumns('e')}
      FROM ${names.jobs} AS j
     CROSS JOIN LATERAL (
       SELECT f.outcome, f.previous, (f.job).* FROM ${edit}(j.id, ${JSON.stringify(json)}::jsonb, ${since}) AS f
     ) AS e
     WHERE j.id = ${id}::uuid${andWithin(database, 'j')}`
}

/** The changes in the names of the columns. Throws `InvalidInput`. */
function toJson({ work, ...given }: JobEdit): Record<string, unknown> {
  const { priority, runAt, maxAttempts, timeoutMs, weight, metadata } = parseOrThrow(
    editSchema,
    given,
    'invalid_job',
  )
  if (work === undefined && Object.keys(given).length === 0) {
    throw new InvalidInput('invalid_job', [{ path: [], message: 'give at least one member that changes' }])
  }
  return {
    ...(priority !== undefined && { priority }),
    ...(runAt !== undefined && { run_at: runAt.toISOString() }),
    ...(maxAttempts !== undefined && { max_attempts: maxAttempts }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(weight !== undefined && { weight }),
    ...(metadata !== undefined && { metadata }),
    ...(work !== undefined && workToJson(work)),
  }
}

function workToJson({ definition, payload, version }: NonNullable<JobEdit['work']>) {
  const request = definition.create(payload, version === undefined ? {} : { version })
  if (holdsMask(request.payload)) {
    const message = `contains ${JSON.stringify(mask)}, which stands for a value that is not shown: send the value itself`
    throw new InvalidInput('invalid_job', [{ path: ['payload'], message }])
  }
  const { kind, kindVersion, key } = request
  // Where the payload has one, it is the key of the job; otherwise that stays as it was named.
  return { kind, kind_version: kindVersion, payload: request.payload, ...(key !== null && { key }) }
}

/** A payload that was read without what is sensitive would overwrite that. */
function holdsMask(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === mask
  return Object.values(value).some((member) => holdsMask(member))
}

function refusalOf(outcome: Exclude<Outcome, 'edited'>, { id, status, kind, attempts }: Job): Error {
  switch (outcome) {
    case 'not_waiting':
      return new InvalidTransition({ jobId: id, status, verb: 'edited: only a waiting job can be' })
    case 'changed':
      return new QueueError('job_changed', `job ${id} has changed since it was read: read it again`)
    case 'other_kind':
      return new InvalidInput('invalid_job', [{ path: ['kind'], message: `the job is of the kind ${kind}` }])
    case 'attempts_used': {
      const message = `must be more than the ${attempts} attempts that it has had`
      return new InvalidInput('invalid_job', [{ path: ['max_attempts'], message }])
    }
  }
}

function decodePrevious(text: string | null): EditedJob['previous'] {
  const was = JSON.parse(text ?? '{}') as {
    readonly priority?: number
    readonly run_at?: string
    readonly max_attempts?: number
    readonly timeout_ms?: number | null
    readonly weight?: number | null
    readonly metadata?: JobMetadata | null
    readonly payload?: JsonValue
    readonly kind_version?: number | null
  }
  return {
    ...(was.priority !== undefined && { priority: was.priority }),
    ...(was.run_at !== undefined && { runAt: new Date(was.run_at) }),
    ...(was.max_attempts !== undefined && { maxAttempts: was.max_attempts }),
    ...(was.timeout_ms !== undefined && { timeoutMs: was.timeout_ms }),
    ...(was.weight !== undefined && { weight: was.weight ?? jobWeightDefault }),
    ...(was.metadata !== undefined && { metadata: was.metadata }),
    ...(was.payload !== undefined && { payload: was.payload, kindVersion: was.kind_version ?? 1 }),
  }
}
