import { assertArguments, object } from '@queue/loop/arguments'
import { z } from 'zod'
import { InvalidInput, type InputIssue } from './errors.ts'
import { expiryFault } from './expiry.ts'
import { fingerprint } from './idempotency.ts'
import { type Job, jobFields, queueDefault } from './job.ts'
import { keyOf } from './job-key.ts'
import { optionFields, type OptionsIn } from './job-options.ts'
import type { JobDefaults } from './kind-defaults.ts'
import { firstVersion } from './kind-version.ts'
import type { JsonValue } from './json.ts'
import { chooseVersion, type EnqueueableKind, type KindVersion, kindVersionsOf } from './kind-versions.ts'
import {
  jobWeightDefault,
  kindAliasesMax,
  kindDescriptionLengthMax,
  maxAttemptsDefault,
  priorityDefault,
} from './limits.ts'
import type { JobMetadata } from './metadata.ts'
import type { OptionsOf } from './options-of.ts'
import { readOrRefuse, type Refused, schemaRule, type StoredPayload, writePayload } from './payload.ts'
import { absentParts } from './payload-schema.ts'
import type { SensitiveVersions, UpgradeStep, VersionedPayload } from './payload-upgrade.ts'
import type { RetryPolicy } from './retry.ts'
import { sensitiveSchema } from './sensitive.ts'
import { describedIssues } from './described-issues.ts'
import { completeUnique, type Unique } from './unique.ts'

/** A kind of job: its name, the schema of its payload, and the defaults of its jobs. */
export interface JobDefinition<Kind extends string = string, Payload extends z.ZodType = z.ZodType>
  extends JobDefaults,
    VersionedPayload<Payload>,
    SensitiveVersions {
  readonly kind: Kind
  /** Former names of the kind. Its handler also takes jobs of these names. */
  readonly aliases: readonly string[]
  readonly description: string | null
  /**
   * Makes a validated request for one job. Its version is the one in the options, or else the newest whose schema
   * accepts the payload. Throws `InvalidInput` with every issue when payload or options are wrong.
   */
  create(payload: z.input<Payload>, options?: JobOptions): JobRequest
}

const definitionFields = {
  /** The queue of its jobs: 1 to 63 characters of a-z 0-9 _ . -, the first a letter or digit. Default `default`. */
  queue: jobFields.queue.optional(),
  /** The priority of its jobs, 0 to 9; lower runs first. Default 4. */
  priority: jobFields.priority.optional(),
  /** The most attempts of a job, the first included: 1 to 100. Default 3. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take. Default: the worker's `jobTimeoutMs`. */
  timeoutMs: jobFields.timeoutMs.optional(),
  /** How long a job waits before its next attempt. Default: `decorrelated`, from 1 s to 60 s. */
  retryPolicy: jobFields.retryPolicy.optional(),
  /**
   * A JSON pointer to the member of the payload that is a job's key, such as `/customer_id`. The member is a text, a
   * number or a boolean. A job whose payload lacks it has no key. Default: jobs have no key.
   */
  key: jobFields.keyPointer.optional(),
  /** How many tokens of each rate limit that applies a start of a job costs: 1 to 1 000 000. Default 1. */
  weight: jobFields.weight.optional(),
  /**
   * Shows results to callers of the API who may not read payloads. Default: only results of a kind with
   * `sensitive: []` are shown to them.
   */
  openResults: z.boolean().optional(),
}
const kindFields = {
  /**
   * The version of the payload's schema, 1 to 32 767. A schema that refuses payloads it accepted before needs a new
   * version. Default 1.
   */
  version: jobFields.kindVersion.optional(),
  /** What the jobs of this kind are for, at most 1 000 characters. */
  description: z.string().min(1).max(kindDescriptionLengthMax).optional(),
  /**
   * The sensitive parts of the payload: JSON pointers, in which `*` stands for each element. `[]`: nothing is
   * sensitive. Default: the whole payload is.
   */
  sensitive: sensitiveSchema.optional(),
  /** Former names of the kind, at most 20. Its handler also takes jobs of these names. */
  aliases: z.array(jobFields.kind).max(kindAliasesMax).optional(),
}
const definitionOptions = z
  .strictObject({
    kind: jobFields.kind,
    ...kindFields,
    ...definitionFields,
    payload: z.unknown(),
    upgrade: z.unknown().optional(),
  })
  .refine(({ kind, aliases = [] }) => new Set([kind, ...aliases]).size === aliases.length + 1, {
    path: ['aliases'],
    message: 'must differ from the kind and from each other',
  })

/** The options of `defineJob` besides the payload's schema. */
export type JobDefinitionOptions = OptionsOf<typeof definitionFields & typeof kindFields> & {
  /**
   * The name of the kind, by which a worker finds its handler: 1 to 63 characters of a-z 0-9 _ . -, the first a letter
   * or digit.
   */
  readonly kind: string
}

/** The trace context has no place in a request of the API, which takes it from a header. */
export const jobOptionFields = {
  ...optionFields('enqueue'),
  traceContext: jobFields.traceContext.optional(),
}

/** The options of one job. Absent ones come from its definition. */
const jobOptionsSchema = z
  .strictObject(jobOptionFields)
  .refine((options) => options.runAt === undefined || options.delayMs === undefined, {
    path: ['delayMs'],
    message: 'give runAt or delayMs, not both',
  })
  .superRefine((options, context) => {
    const fault = expiryFault(options)
    if (fault !== undefined)
      context.addIssue({ code: 'custom', path: [...fault.path], message: fault.message })
  })

/** The options of one job. Absent ones come from its definition. */
export type JobOptions = OptionsIn<'enqueue'> & {
  /** A W3C `traceparent`, which the handler receives with the job. */
  readonly traceContext?: string | undefined
}

/** A valid job, ready to be written. */
export type JobRequest = { readonly [Member in keyof CheckedRequest]: CheckedRequest[Member] }

/**
 * A class and not an object literal: objects of a literal stay in V8's old space for good once most of them have
 * outlived a collection of the young generation, as the requests of a large batch do (docs/decisions/0085).
 */
class CheckedRequest {
  declare readonly kind: string
  declare readonly kindVersion: number
  declare readonly queue: string
  declare readonly payload: JsonValue
  /** The JSON text that is stored. */
  declare readonly payloadText: string
  declare readonly metadata: JobMetadata | null
  declare readonly priority: number
  declare readonly maxAttempts: number
  declare readonly timeoutMs: number | null
  declare readonly retryPolicy: RetryPolicy | null
  declare readonly runAt: Date | null
  declare readonly delayMs: number | null
  declare readonly expiresAt: Date | null
  declare readonly expiresInMs: number | null
  declare readonly idempotencyKey: string | null
  /** Present exactly when the request has an idempotency key. */
  declare readonly fingerprint: Buffer | null
  declare readonly unique: Unique | null
  declare readonly tenantId: string | null
  declare readonly key: string | null
  declare readonly weight: number
  declare readonly traceContext: string | null
  /** The sensitive parts of the payload; null: all of it. */
  declare readonly sensitive: readonly string[] | null
  declare readonly openResults: boolean

  constructor(
    { kind, version }: ChosenVersion,
    { value: payload, text: payloadText }: StoredPayload,
    options: z.output<typeof jobOptionsSchema>,
  ) {
    const queue = options.queue ?? version.queue
    const idempotencyKey = options.idempotencyKey ?? null
    this.kind = kind
    this.kindVersion = version.version
    this.queue = queue
    this.payload = payload
    this.payloadText = payloadText
    this.metadata = options.metadata ?? null
    this.priority = options.priority ?? version.priority
    this.maxAttempts = options.maxAttempts ?? version.maxAttempts
    this.timeoutMs = options.timeoutMs ?? version.timeoutMs
    this.retryPolicy = options.retryPolicy ?? version.retryPolicy
    this.runAt = options.runAt ?? null
    this.delayMs = options.delayMs ?? null
    this.expiresAt = options.expiresAt ?? null
    this.expiresInMs = options.expiresInMs ?? null
    this.idempotencyKey = idempotencyKey
    // Without the version, so that the same request counts as the same before and after a deployment.
    this.fingerprint = idempotencyKey === null ? null : fingerprint({ kind, queue, payload })
    this.unique = completeUnique(options.unique)
    this.tenantId = options.tenantId ?? null
    this.key = options.key ?? (version.key === null ? null : keyOf(payload, version.key))
    this.weight = options.weight ?? version.weight
    this.traceContext = options.traceContext ?? null
    this.sensitive = version.sensitive
    this.openResults = version.openResults
  }
}

/** Whether `create` of a kind has made this request, so that it has the members of a request and no others. */
export function isMade(request: JobRequest): boolean {
  return request instanceof CheckedRequest
}

/** The version of a kind that a payload belongs to. */
interface ChosenVersion {
  readonly kind: string
  readonly version: KindVersion
}

/**
 * Defines a kind of job. The payload's type flows from its zod schema to `enqueue` and to the handler. The payload is
 * stored as the caller passes it. The handler receives it as the schema parses it, so a schema can have defaults and
 * transforms.
 *
 * Throws `InvalidInput` when a name or a number is out of its bounds, or when no JSON fits the schema, as with `z.date()`.
 */
export function defineJob<Kind extends string, Payload extends z.ZodType>(
  options: JobDefinitionOptions & {
    readonly kind: Kind
    /** The zod schema of the payload. */
    readonly payload: Payload
    /**
     * The older versions whose jobs a handler still takes: `{ 1: upgradeFrom(schemaOf1, (older) => newest) }`. A job of
     * a version without a step here waits for a worker that knows the version.
     */
    readonly upgrade?: Readonly<Record<number, UpgradeStep<z.input<Payload>>>>
  },
): JobDefinition<Kind, Payload> {
  const checked = parseOrThrow(definitionOptions, options, 'invalid_options')
  const { payload, upgrade = {} } = options
  assertArguments('defineJob', { payload: schemaRule, upgrade: object }, [payload, upgrade])
  const absent = absentParts(payload)
  if (absent.length > 0) throw new InvalidInput('invalid_options', absent)
  const version = checked.version ?? firstVersion
  assertOlderVersions(Object.keys(upgrade), version)
  const definition = {
    kind: options.kind,
    version,
    payload,
    upgrade,
    aliases: checked.aliases ?? [],
    description: checked.description ?? null,
    sensitive: checked.sensitive ?? null,
    queue: checked.queue ?? queueDefault,
    priority: checked.priority ?? priorityDefault,
    maxAttempts: checked.maxAttempts ?? maxAttemptsDefault,
    timeoutMs: checked.timeoutMs ?? null,
    retryPolicy: checked.retryPolicy ?? null,
    key: checked.key ?? null,
    weight: checked.weight ?? jobWeightDefault,
    openResults: checked.openResults ?? false,
  }
  const kind = { kind: definition.kind, versions: kindVersionsOf(definition) }
  return {
    ...definition,
    create: (value, jobOptions = noOptions) => createRequest(kind, value, jobOptions),
  }
}

function assertOlderVersions(steps: readonly string[], version: number): void {
  const issues = steps
    .filter(
      (step) => !Number.isInteger(Number(step)) || Number(step) < firstVersion || Number(step) >= version,
    )
    .map((step) => ({
      path: ['upgrade', step],
      message: `must be a version before the definition's version, ${version}`,
    }))
  if (issues.length > 0) throw new InvalidInput('invalid_options', issues)
}

/** The options of a `create` without options. `createRequest` recognises this object and skips their check. */
const noOptions = {}
/** Most jobs have no options, and checking an empty object took as long as checking a small payload. */
const noneChecked = { value: {} }

/** A validated request for one job of a kind. Throws `InvalidInput` with every issue when payload or options are wrong. */
export function createRequest(kind: EnqueueableKind, payload: unknown, options: JobOptions): JobRequest {
  const checked: Checked<typeof jobOptionsSchema> =
    options === noOptions ? noneChecked : check(jobOptionsSchema, options)
  const requestedVersion = 'issues' in checked ? undefined : checked.value.version
  const stored = writePayload(payload)
  const chosen = 'issues' in stored ? stored : chooseVersion(kind, stored.value, requestedVersion)
  if ('issues' in stored || 'issues' in chosen || 'issues' in checked) {
    throw new InvalidInput('invalid_job', [...issuesOf(chosen), ...issuesOf(checked)])
  }
  return new CheckedRequest({ kind: kind.kind, version: chosen }, stored, checked.value)
}

/**
 * The job that a request has become: the request's values, those that its insert returned, and those that all new jobs
 * share.
 */
export function newJob<Constants>(
  constants: Constants,
  request: JobRequest,
  { id, runAt, expiresAt, createdAt }: Pick<Job, 'id' | 'runAt' | 'expiresAt' | 'createdAt'>,
) {
  return {
    ...constants,
    id,
    queue: request.queue,
    kind: request.kind,
    kindVersion: request.kindVersion,
    tenantId: request.tenantId,
    key: request.key,
    weight: request.weight,
    payload: request.payload,
    sensitive: request.sensitive,
    openResults: request.openResults,
    metadata: request.metadata,
    priority: request.priority,
    maxAttempts: request.maxAttempts,
    timeoutMs: request.timeoutMs,
    retryPolicy: request.retryPolicy,
    runAt,
    expiresAt,
    idempotencyKey: request.idempotencyKey,
    uniqueKey: request.unique?.key ?? null,
    uniqueScope: request.unique?.scope ?? null,
    traceContext: request.traceContext,
    createdAt,
    updatedAt: createdAt,
  }
}

type Checked<Schema extends z.ZodType> = { readonly value: z.output<Schema> } | Refused

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): Checked<Schema> {
  return readOrRefuse(() => {
    if (hasDroppedMetadata(value)) {
      return { issues: [{ path: ['metadata'], message: 'no member can be called __proto__' }] }
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) return { value: parsed.data }
    return { issues: parsed.error.issues.flatMap((issue) => describedIssues({ schema, value }, issue)) }
  })
}

/** Every issue of the value, which the schema may refuse. */
export function findIssues(schema: z.ZodType, value: unknown): readonly InputIssue[] {
  return issuesOf(check(schema, value))
}

function issuesOf(checked: object | Refused): readonly InputIssue[] {
  return 'issues' in checked ? checked.issues : []
}

/** A record of zod drops such a member without a word; a filter by metadata would then select every job. */
function hasDroppedMetadata(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false
  const { metadata } = value
  return typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, '__proto__')
}

/** The value as `schema` parses it. Throws `InvalidInput` with every issue when the schema refuses it. */
export function parseOrThrow<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: 'invalid_job' | 'invalid_options' | 'invalid_limit' | 'invalid_schedule',
): z.output<Schema> {
  const checked = check(schema, value)
  if ('issues' in checked) throw new InvalidInput(code, checked.issues)
  return checked.value
}
