// The options of a job, each one row: its schema, who can set it, and what the documents of the API say of it. The options of
// the library, the requests of the API and the codecs of schedules and edits are derived from these rows.
import type { z } from 'zod'
import { jobFields } from './job.ts'
import { metadataBytesMax, metadataMembersMax } from './limits.ts'
import { uniqueSchema } from './unique.ts'

/** Where an option occurs. An edit also reports the value before it. */
export type JobOptionPlace = 'enqueue' | 'schedule' | 'edit' | 'previous'

type Texts = Readonly<Partial<Record<JobOptionPlace, string>>>

interface JobOption<Schema extends z.ZodType, Place extends string, Edit extends z.ZodType> {
  readonly schema: Schema
  /** The values that an edit can set; null: the option is removed. */
  readonly edit: Edit
  readonly texts: Readonly<Record<Place, string>>
}

/** An option that can be set wherever it has a text. */
function option<Schema extends z.ZodType, Of extends Texts, Edit extends z.ZodType = Schema>(
  schema: Schema,
  texts: Of,
  edit?: Edit,
): JobOption<Schema, keyof Of & string, Edit> {
  return {
    schema,
    edit: edit ?? (schema as z.ZodType as Edit),
    texts: texts as Readonly<Record<keyof Of, string>>,
  }
}

const metadataText =
  `Metadata to find the job by, with up to ${metadataMembersMax} members and ${metadataBytesMax} bytes. It is never ` +
  'masked, so do not put secrets into it.'

const retryPolicyText =
  'How long the job waits between its attempts. Absent members use the defaults of the policy type.'

/** The options of a job, in the order in which requests list them. */
export const jobOptions = {
  /** The version of the kind that the payload belongs to. Default: the newest whose schema accepts the payload. */
  version: option(jobFields.kindVersion, {
    enqueue: 'Version of the kind. Defaults to the newest version whose schema accepts the payload.',
    schedule: 'Version of the kind. Defaults to the newest version whose schema accepts the payload.',
  }),
  /** Overrides the queue of the kind: 1 to 63 characters of a-z 0-9 _ . -, the first a letter or digit. */
  queue: option(jobFields.queue, {
    enqueue: 'Queue of the job. Defaults to the queue of the kind.',
    schedule: 'Queue of the jobs. Defaults to the queue of the kind.',
  }),
  /** 0 to 9; lower runs first. A new job without it has the priority of its kind. */
  priority: option(jobFields.priority, {
    enqueue:
      'Priority from 0 to 9. Lower numbers start first. Defaults to the priority of the kind, or to 4.',
    schedule:
      'Priority of the jobs, from 0 to 9. Lower numbers start first. Defaults to the priority of the kind.',
    edit: 'Priority from 0 to 9. Lower numbers start first.',
    previous: 'The previous priority.',
  }),
  /** The earliest start, by the database's clock; a past instant counts as now. Exclusive with `delayMs`. */
  runAt: option(jobFields.runAt, {
    enqueue: 'Earliest start. A time in the past counts as now. Cannot be combined with delay_ms.',
    edit: 'Earliest start. A time in the past counts as now.',
    previous: 'The previous earliest start.',
  }),
  /** Milliseconds from now to the earliest start, by the database's clock. Exclusive with `runAt`. */
  delayMs: option(jobFields.delayMs, {
    enqueue: 'Delay until the earliest start, in milliseconds. Cannot be combined with run_at.',
  }),
  /**
   * The most attempts, the first included: 1 to 100. A new job without it has the attempts of its kind. An edit must
   * allow more than the job has had already.
   */
  maxAttempts: option(jobFields.maxAttempts, {
    enqueue: 'Maximum number of attempts, from 1 to 100. Defaults to that of the kind, or to 3.',
    schedule: 'Maximum number of attempts of each job. Defaults to that of the kind.',
    edit: 'Maximum number of attempts. Must be greater than the attempts that the job has already had.',
    previous: 'The previous maximum number of attempts.',
  }),
  /** Milliseconds that one attempt may take. Overrides those of the kind. An edit to null restores the default. */
  timeoutMs: option(
    jobFields.timeoutMs,
    {
      enqueue: 'Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker.',
      schedule: 'Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker.',
      edit: 'Timeout of one attempt in milliseconds. Null uses the default of the kind or of the worker.',
      previous: 'The previous timeout in milliseconds.',
    },
    jobFields.timeoutMs.nullable(),
  ),
  /** How long the job waits before its next attempt. Overrides the policy of the kind. */
  retryPolicy: option(jobFields.retryPolicy, {
    enqueue: retryPolicyText,
    schedule: retryPolicyText,
  }),
  /**
   * Repeated enqueues with one key make one job within a tenant, as long as the job's row is kept. It is never hidden,
   * so it must not hold secrets.
   */
  idempotencyKey: option(jobFields.callersKey, {
    enqueue:
      'Makes the request safe to repeat: a key creates at most one job per tenant. The header Idempotency-Key takes ' +
      'precedence. The key is never hidden.',
  }),
  /**
   * Members by which the job can be found, such as `{ order_id: 4711 }`: at most 20, and 4 KiB, of texts, numbers and
   * booleans. They are never masked, so they must not hold secrets. An edit replaces all of them; null removes them.
   */
  metadata: option(
    jobFields.metadata,
    {
      enqueue: metadataText,
      schedule: metadataText,
      edit: 'New metadata, which replaces all existing metadata. Null removes it.',
      previous: 'The previous metadata.',
    },
    jobFields.metadata.nullable(),
  ),
  /**
   * An instant after the earliest start. A job that has not started by then is cancelled. It applies until the job
   * first starts. Exclusive with `expiresInMs`.
   */
  expiresAt: option(jobFields.expiresAt, {
    enqueue:
      'Expiry: the job is cancelled if it has not started by this time. Must be after the earliest start. Cannot be ' +
      'combined with expires_in_ms.',
  }),
  /**
   * The expiry in milliseconds from now, by the database's clock, or from the firing of a schedule. Exclusive with
   * `expiresAt`.
   */
  expiresInMs: option(jobFields.expiresInMs, {
    enqueue: 'Expiry, in milliseconds from now. Cannot be combined with expires_at.',
    schedule:
      'Expiry of each job, in milliseconds from its enqueue: a job that has not started by then is cancelled.',
  }),
  /** Makes it the only job of its kind and tenant under a key, as long as the scope says. The key is never hidden. */
  unique: option(uniqueSchema, {
    enqueue: 'Makes the job the only one of its kind and tenant with a unique key.',
    schedule: 'Makes each job the only one of its kind and tenant with a unique key.',
  }),
  /** The tenant that the job belongs to. Idempotency keys and lists of different tenants are separate. */
  tenantId: option(jobFields.tenantId, {
    enqueue: 'Tenant of the job. Idempotency keys are unique within a tenant.',
  }),
  /**
   * The key of the job, such as a customer's id: 1 to 255 characters. Jobs with one key can be limited together.
   * Overrides the key of the kind. It is never hidden, so it must not hold secrets.
   */
  key: option(jobFields.key, {
    enqueue:
      'Key of the job, such as a customer id. Limits can apply to all jobs with the same key. Defaults to the value at ' +
      'the key pointer of the kind in the payload. It is never hidden.',
    schedule:
      'Key of the jobs, by which limits can apply. Defaults to the value at the key pointer of the kind in the payload.',
  }),
  /** How many tokens of each rate limit that applies its start costs: 1 to 1 000 000. Overrides the weight of the kind. */
  weight: option(jobFields.weight, {
    enqueue:
      'Tokens that a start of the job takes from each rate limit that applies, up to the burst of that limit. Defaults ' +
      'to the weight of the kind, or to 1.',
    schedule: 'Tokens that a start of a job takes from each rate limit. Defaults to the weight of the kind.',
    edit: 'Tokens that a start of the job takes from each rate limit.',
    previous: 'The previous weight.',
  }),
} as const

type JobOptionRows = typeof jobOptions

export type JobOptionName = keyof JobOptionRows

/** The names of the options that occur in a place. */
export type OptionIn<Place extends JobOptionPlace> = {
  [Name in JobOptionName]: JobOptionRows[Name]['texts'] extends Readonly<Record<Place, string>> ? Name : never
}[JobOptionName]

export function optionsIn<Place extends JobOptionPlace>(place: Place): readonly OptionIn<Place>[] {
  return (Object.keys(jobOptions) as JobOptionName[]).filter(
    (name) => place in jobOptions[name].texts,
  ) as unknown as readonly OptionIn<Place>[]
}

/** The schema of an option in a place. */
export type OptionSchema<Place extends JobOptionPlace, Name extends JobOptionName> = Place extends
  | 'enqueue'
  | 'schedule'
  ? JobOptionRows[Name]['schema']
  : JobOptionRows[Name]['edit']

/** The members of an object that has the options of a place. */
export function optionFields<Place extends JobOptionPlace>(
  place: Place,
): { readonly [Name in OptionIn<Place>]: z.ZodOptional<OptionSchema<Place, Name>> } {
  const isEdit = place === 'edit' || place === 'previous'
  return Object.fromEntries(
    optionsIn(place).map((name) => {
      const { schema, edit }: { readonly schema: z.ZodType; readonly edit: z.ZodType } = jobOptions[name]
      return [name, (isEdit ? edit : schema).optional()]
    }),
  ) as never
}

/** The options that a caller can set in a place. A mapped type of the rows keeps the comment above each of them. */
export type OptionsIn<Place extends JobOptionPlace> = {
  readonly [Name in keyof Pick<JobOptionRows, OptionIn<Place>>]?:
    | z.input<OptionSchema<Place, Name>>
    | undefined
}
