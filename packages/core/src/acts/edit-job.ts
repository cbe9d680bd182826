// queued | retrying stay so, with other values of some fields. An operator's act.
import { having } from '@queue/loop/arguments'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { arrayText } from '../database/job-input.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { decodeOptions, encodeOptions } from '../database/option-document.ts'
import { andWithin } from '../database/scope.ts'
import { InvalidInput, InvalidTransition, QueueError } from '../domain/errors.ts'
import { type Job, jobFields } from '../domain/job.ts'
import { type JobDefinition, parseOrThrow } from '../domain/job-definition.ts'
import { type OptionIn, optionFields, type OptionsIn, optionsIn } from '../domain/job-options.ts'
import type { JsonValue } from '../domain/json.ts'
import { firstVersion } from '../domain/kind-version.ts'
import { toSnakeCase } from '../domain/names.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { mask } from '../domain/sensitive-parts.ts'
import { archivedJob } from '../reads/get-job.ts'

const isKind = having('a kind, which defineJob returns', 'create')

const workSchema = z.strictObject({
  definition: z.custom<Pick<JobDefinition, 'create'>>(
    (value) => isKind(value) === undefined,
    'must be a kind, which defineJob returns',
  ),
  payload: z.unknown(),
  version: jobFields.kindVersion.optional(),
})

const editSchema = z.strictObject({ ...optionFields('edit'), work: workSchema.optional() })

/** The changes of a waiting job. Absent members stay as they are. */
export type JobEdit = OptionsIn<'edit'> & {
  /** A new payload, checked by the definition of the job's kind. */
  readonly work?: {
    readonly definition: Pick<JobDefinition, 'create'>
    readonly payload: unknown
    /** Default: the newest version whose schema accepts the payload. */
    readonly version?: number | undefined
  }
}

const optionsOfEdit = {
  /** The `updatedAt` of the job as the caller has read it. If the job has changed since, nothing is written. */
  ifUpdatedAt: z.date().optional(),
}
const editOptionsSchema = z.strictObject(optionsOfEdit)

/** For which version of a job an edit is made. */
export type EditOptions = OptionsOf<typeof optionsOfEdit>

export interface EditedJob {
  readonly job: Job
  /** The previous value of each changed member. */
  readonly previous: Partial<Pick<Job, OptionIn<'edit'> | 'payload' | 'kindVersion'>>
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
  { changes, options = {} }: { readonly changes: JobEdit; readonly options?: EditOptions | undefined },
): Promise<Acted<EditedJob>> {
  const { ifUpdatedAt } = parseOrThrow(editOptionsSchema, options, 'invalid_options')
  const [row] = await database.run(editStatement(database, { id, ifUpdatedAt, json: toJson(changes) }))
  if (row === undefined) throw await notFound(database, id)
  const job = decodeJob(row)
  const { outcome, previous } = row
  if (outcome !== 'edited' && outcome !== 'unchanged') throw refusalOf(outcome, job)
  return { result: { job, previous: decodePrevious(previous) }, changed: outcome === 'edited' }
}

async function notFound(database: QueueDatabase, id: string): Promise<Error> {
  const job = await archivedJob(database, id)
  return job === undefined
    ? new QueueError('job_not_found', `there is no job ${id}`)
    : refusalOf('not_waiting', job)
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
function toJson(changes: JobEdit): Record<string, unknown> {
  const { work, ...options } = parseOrThrow(editSchema, changes, 'invalid_job')
  const json = {
    ...encodeOptions(options, optionsIn('edit')),
    ...(work !== undefined && workToJson(work)),
  }
  if (Object.keys(json).length > 0) return json
  throw new InvalidInput('invalid_job', [{ path: [], message: 'must have at least one member to change' }])
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
  const document = JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>
  const changed = optionsIn('edit').filter((name) => toSnakeCase(name) in document)
  const { payload, kind_version: version } = document
  return {
    ...decodeOptions(document, changed),
    ...(payload !== undefined && { payload, kindVersion: version ?? firstVersion }),
  } as EditedJob['previous']
}
