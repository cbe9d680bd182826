// queued | retrying stay so, with other values of some fields. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { arrayText } from '../database/job-input.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { InvalidInput, InvalidTransition, QueueError } from '../domain/errors.ts'
import { type Job, jobFields } from '../domain/job.ts'
import { type JobDefinition, parseOrThrow } from '../domain/job-definition.ts'
import type { JsonValue } from '../domain/json.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { jobWeightDefault } from '../domain/limits.ts'
import type { JobMetadata } from '../domain/metadata.ts'
import { mask } from '../domain/sensitive-parts.ts'

const editFields = {
  /** 0 to 9; lower runs first. */
  priority: jobFields.priority.optional(),
  /** The earliest start; a past instant counts as now. */
  runAt: jobFields.runAt.optional(),
  /** The most attempts, 1 to 100. Must be more than the job has had already. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take; null: the default of the kind or the worker. */
  timeoutMs: jobFields.timeoutMs.nullable().optional(),
  /** How many tokens of each rate limit that applies its start costs: 1 to 1 000 000. */
  weight: jobFields.weight.optional(),
  /** Replaces all of the metadata; null: removes it. */
  metadata: jobFields.metadata.nullable().optional(),
}
const editSchema = z.strictObject(editFields)

/** The changes of a waiting job. Absent members stay as they are. */
export type JobEdit = OptionsOf<typeof editFields> & {
  /** A new payload, checked by the definition of the job's kind. */
  readonly work?: {
    readonly definition: Pick<JobDefinition, 'create'>
    readonly payload: unknown
    /** Default: the newest version whose schema accepts the payload. */
    readonly version?: number | undefined
  }
}

export interface EditOptions {
  /** The `updatedAt` of the job as the caller has read it. If the job has changed since, nothing is written. */
  readonly ifUpdatedAt?: Date | undefined
}

export interface EditedJob {
  readonly job: Job
  /** The previous value of each changed member. */
  readonly previous: Partial<
    Pick<
      Job,
      'priority' | 'runAt' | 'maxAttempts' | 'timeoutMs' | 'weight' | 'metadata' | 'payload' | 'kindVersion'
    >
  >
}

type Outcome =
  | 'edited'
  | 'unchanged'
  | 'not_waiting'
  | 'expired'
  | 'changed'
  | 'other_kind'
  | 'attempts_used'
  | 'starts_too_late'

type EditRow = JobRow & { readonly outcome: Outcome; readonly previous: string | null }

/**
 * Changes a waiting job. An SQL function locks the job and requires that it waits, so an edit and a claim never mix.
 * Throws `job_not_found`; `InvalidTransition` for a job that does not wait; `job_changed` where it has changed since
 * `ifUpdatedAt`; and `InvalidInput`.
 */
export async function editJob(
  database: QueueDatabase,
  id: string,
  { changes, ifUpdatedAt }: EditOptions & { readonly changes: JobEdit },
): Promise<Acted<EditedJob>> {
  const [row] = await database.run(editStatement(database, { id, ifUpdatedAt, json: toJson(changes) }))
  if (row === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  const job = decodeJob(row)
  const { outcome, previous } = row
  if (outcome !== 'edited' && outcome !== 'unchanged') throw refusalOf(outcome, job)
  return { result: { job, previous: decodePrevious(previous) }, changed: outcome === 'edited' }
}

interface Edit extends EditOptions {
  readonly id: string
  readonly json: Readonly<Record<string, unknown>>
}

function editStatement(database: QueueDatabase, { id, ifUpdatedAt, json }: Edit): RawBuilder<EditRow> {
  const { schema, names } = database
  const edit = sql.id(schema, names.behindViews ? 'edit_tenant_job' : 'edit_job')
  const expectedUpdatedAt =
    ifUpdatedAt === undefined ? sql`NULL` : sql`to_timestamp(${ifUpdatedAt.getTime()}::float8 / 1000::float8)`
  return sql<EditRow>`
    SELECT e.outcome, e.previous::text AS previous, ${jobColumns('e')}
      FROM ${names.jobs} AS j
     CROSS JOIN LATERAL (
       SELECT f.outcome, f.previous, (f.job).* FROM ${edit}(j.id, ${JSON.stringify(json)}::jsonb, ${expectedUpdatedAt}) AS f
     ) AS e
     WHERE j.id = ${id}::uuid${andWithin(database, 'j')}`
}

/** The changes in the names of the columns. Throws `InvalidInput`. */
function toJson({ work, ...fields }: JobEdit): Record<string, unknown> {
  const { priority, runAt, maxAttempts, timeoutMs, weight, metadata } = parseOrThrow(
    editSchema,
    fields,
    'invalid_job',
  )
  if (work === undefined && Object.keys(fields).length === 0) {
    throw new InvalidInput('invalid_job', [{ path: [], message: 'must have at least one member to change' }])
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
    const message = `contains ${JSON.stringify(mask)}, which stands for a hidden value: send the value itself`
    throw new InvalidInput('invalid_job', [{ path: ['payload'], message }])
  }
  const { kind, kindVersion, key, sensitive, openResults } = request
  return {
    kind,
    kind_version: kindVersion,
    payload: request.payload,
    // The function adds these to what the job hides already.
    sensitive: sensitive && arrayText(sensitive),
    open_results: openResults ? true : null,
    // A payload with a key sets the job's key. Otherwise the key stays as it is.
    ...(key !== null && { key }),
  }
}

/** Whether the payload contains the mask. A payload that was read with its sensitive values masked would overwrite them. */
function holdsMask(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return value === mask
  return Object.values(value).some((member) => holdsMask(member))
}

function refusalOf(outcome: Exclude<Outcome, 'edited' | 'unchanged'>, job: Job): Error {
  const { id, kind, attempts } = job
  switch (outcome) {
    case 'not_waiting':
      return notEditable(job, 'only a waiting job can be edited')
    case 'expired':
      return notEditable(job, 'its expiry is past, so it never starts')
    case 'changed':
      return new QueueError('job_changed', `job ${id} has changed since it was read: read it again`)
    case 'other_kind':
      return new InvalidInput('invalid_job', [
        { path: ['kind'], message: `must be ${kind}, the kind of the job` },
      ])
    case 'attempts_used': {
      const message = `must be more than ${attempts}, the attempts that the job has had`
      return new InvalidInput('invalid_job', [{ path: ['max_attempts'], message }])
    }
    case 'starts_too_late':
      return new InvalidInput('invalid_job', [
        { path: ['run_at'], message: 'must be before the expiry of the job' },
      ])
  }
}

function notEditable({ id: jobId, status }: Job, reason: string): InvalidTransition {
  return new InvalidTransition({ jobId, status, verb: 'edited', reason })
}

function decodePrevious(text: string | null): EditedJob['previous'] {
  const previous = JSON.parse(text ?? '{}') as {
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
    ...(previous.priority !== undefined && { priority: previous.priority }),
    ...(previous.run_at !== undefined && { runAt: new Date(previous.run_at) }),
    ...(previous.max_attempts !== undefined && { maxAttempts: previous.max_attempts }),
    ...(previous.timeout_ms !== undefined && { timeoutMs: previous.timeout_ms }),
    ...(previous.weight !== undefined && { weight: previous.weight ?? jobWeightDefault }),
    ...(previous.metadata !== undefined && { metadata: previous.metadata }),
    ...(previous.payload !== undefined && {
      payload: previous.payload,
      kindVersion: previous.kind_version ?? 1,
    }),
  }
}
