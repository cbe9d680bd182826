import { z } from 'zod'
import { InvalidInput, type InputIssue } from './errors.ts'
import { expiryFault } from './expiry.ts'
import { fingerprint } from './idempotency.ts'
import { type Job, jobFields, queueDefault } from './job.ts'
import { keyOf } from './job-key.ts'
import { firstVersion } from './kind-version.ts'
import type { JsonValue } from './json.ts'
import {
  chooseVersion,
  type EnqueueableKind,
  type JobDefaults,
  type KindVersion,
  kindVersionsOf,
} from './kind-versions.ts'
import {
  jobWeightDefault,
  kindAliasesMax,
  kindDescriptionLengthMax,
  maxAttemptsDefault,
  priorityDefault,
} from './limits.ts'
import type { JobMetadata } from './metadata.ts'
import type { OptionsOf } from './options-of.ts'
import { plainPath, type Refused, type StoredPayload, writePayload } from './payload.ts'
import type { UpgradeStep, VersionedPayload } from './payload-upgrade.ts'
import type { RetryPolicy } from './retry.ts'
import { sensitiveSchema } from './sensitive.ts'
import { completeUnique, type Unique, uniqueSchema } from './unique.ts'

/** What a kind of job is: its name, the shape of its payload, and the defaults of its jobs. */
export interface JobDefinition<Kind extends string = string, Payload extends z.ZodType = z.ZodType>
  extends JobDefaults,
    VersionedPayload<Payload> {
  readonly kind: Kind
  /** Old names, under which a handler takes its jobs too. */
  readonly aliases: readonly string[]
  readonly description: string | null
  /** JSON pointers to what of the payload is not for everybody; null: nothing is said, and all of it counts as sensitive. */
  readonly sensitive: readonly string[] | null
  /**
   * A validated request for one job: of the version that the options name, else of the newest whose schema accepts the
   * payload. Throws `InvalidInput` with every issue when payload or options are wrong.
   */
  create(payload: z.input<Payload>, options?: JobOptions): JobRequest
}

const definitionFields = {
  /** The queue of its jobs: 1 to 63 of a-z 0-9 _ . -, the first a letter or digit. Default `default`. */
  queue: jobFields.queue.optional(),
  /** The priority of its jobs, 0 to 9; lower runs first. Default 4. */
  priority: jobFields.priority.optional(),
  /** How often a job may be tried, the first time included: 1 to 100. Default 3. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take. Default: the worker's `jobTimeoutMs`. */
  timeoutMs: jobFields.timeoutMs.optional(),
  /** How long a job waits before its next attempt. Default: `decorrelated`, from 1 s to 60 s. */
  retryPolicy: jobFields.retryPolicy.optional(),
  /**
   * A JSON pointer to the member of the payload that is the key of a job, such as `/customer_id`: a text, a number or a
   * boolean. A job without it has no key. Default: none has.
   */
  key: jobFields.keyPointer.optional(),
  /** How many tokens a start of a job costs, of each rate that holds for it: 1 to 1 000 000. Default 1. */
  weight: jobFields.weight.optional(),
}
const kindFields = {
  /** The version of the payload's schema, 1 to 32 767. A schema that refuses what it accepted needs a new one. Default 1. */
  version: jobFields.kindVersion.optional(),
  /** What its jobs are for, 1 000 characters at most. */
  description: z.string().min(1).max(kindDescriptionLengthMax).optional(),
  /**
   * What of the payload is not for everybody: JSON pointers, in which `*` stands for each element. `[]`: nothing is.
   * Default: all of it.
   */
  sensitive: sensitiveSchema.optional(),
  /** Old names, under which a handler takes its jobs too: 20 at most. */
  aliases: z.array(jobFields.kind).max(kindAliasesMax).optional(),
}
const definitionOptions = z
  .strictObject({ kind: jobFields.kind, ...kindFields, ...definitionFields })
  .refine(({ kind, aliases = [] }) => new Set([kind, ...aliases]).size === aliases.length + 1, {
    path: ['aliases'],
    message: 'must be other names than the kind, each once',
  })

/** What `defineJob` takes besides the payload's schema. */
export type JobDefinitionOptions = OptionsOf<typeof definitionFields & typeof kindFields> & {
  /** The name of the kind, by which a worker finds its handler: 1 to 63 of a-z 0-9 _ . -, the first a letter or digit. */
  readonly kind: string
}

const jobOptionFields = {
  /** The version of its kind that the payload is of. Default: the newest whose schema accepts the payload. */
  version: jobFields.kindVersion.optional(),
  /** In place of the queue of its kind: 1 to 63 of a-z 0-9 _ . -, the first a letter or digit. */
  queue: jobFields.queue.optional(),
  /** In place of the priority of its kind, 0 to 9; lower runs first. */
  priority: jobFields.priority.optional(),
  /** The earliest start, by the database's clock; a past instant counts as now. Give this or `delayMs`. */
  runAt: jobFields.runAt.optional(),
  /** Milliseconds from now, by the database's clock, to the earliest start. Give this or `runAt`. */
  delayMs: jobFields.delayMs.optional(),
  /**
   * An instant after the earliest start: a job that has not begun by then is cancelled. It counts until the job first starts.
   * Give this or `expiresInMs`.
   */
  expiresAt: jobFields.expiresAt.optional(),
  /** The same in milliseconds from now, by the database's clock. Give this or `expiresAt`. */
  expiresInMs: jobFields.expiresInMs.optional(),
  /** In place of the attempts of its kind, the first included: 1 to 100. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take, in place of those of its kind. */
  timeoutMs: jobFields.timeoutMs.optional(),
  /** How long the job waits before its next attempt, in place of the policy of its kind. */
  retryPolicy: jobFields.retryPolicy.optional(),
  /** Jobs of one key, such as those of one customer, can be limited together: 1 to 255 characters. In place of its kind's. */
  key: jobFields.key.optional(),
  /** How many tokens its start costs, of each rate that holds for it: 1 to 1 000 000. In place of its kind's. */
  weight: jobFields.weight.optional(),
  /** One key makes one job within its tenant, however often it is enqueued, for as long as the job's row is kept. */
  idempotencyKey: jobFields.callersKey.optional(),
  /** Makes it the only job of its kind and tenant under a key, for as long as the scope says. */
  unique: uniqueSchema.optional(),
  /**
   * What the job can be found by, such as `{ order_id: 4711 }`: at most 20 members and 4 KiB of texts, numbers and booleans. It is
   * no place for secrets: nothing of it is masked.
   */
  metadata: jobFields.metadata.optional(),
  /** Whose job this is. It keeps idempotency keys and lists of tenants apart. */
  tenantId: jobFields.tenantId.optional(),
  /** A W3C `traceparent`, handed to the handler with the job. */
  traceContext: jobFields.traceContext.optional(),
}

/** The options of one job; what is absent comes from its definition. */
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

/** The options of one job; what is absent comes from its definition. */
export type JobOptions = OptionsOf<typeof jobOptionFields>

/** A job that is valid and waits to be written. */
export type JobRequest = { readonly [Member in keyof CheckedRequest]: CheckedRequest[Member] }

/**
 * What makes a request, by a constructor: what a literal makes, V8 puts among its old objects for good once most of it has
 * outlived a collection of young ones, as the requests of a large batch do (docs/decisions/0085).
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
  /** Present exactly when there is an idempotency key. */
  declare readonly fingerprint: Buffer | null
  declare readonly unique: Unique | null
  declare readonly tenantId: string | null
  declare readonly key: string | null
  declare readonly weight: number
  declare readonly traceContext: string | null

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
    // Without the version: the same request, sent before and after a deployment, is the same.
    this.fingerprint = idempotencyKey === null ? null : fingerprint({ kind, queue, payload })
    this.unique = completeUnique(options.unique)
    this.tenantId = options.tenantId ?? null
    this.key = options.key ?? (version.key === null ? null : keyOf(payload, version.key))
    this.weight = options.weight ?? version.weight
    this.traceContext = options.traceContext ?? null
  }
}

/** The version of a kind that a payload is of. */
interface ChosenVersion {
  readonly kind: string
  readonly version: KindVersion
}

/**
 * Defines a kind of job. The payload's type flows from its zod schema to `enqueue` and to the handler.
 * What is stored is the payload as given; the handler receives it as the schema parses it, so a schema may have
 * defaults and transforms.
 *
 * Throws `InvalidInput` when a name or a number is out of its bounds.
 */
export function defineJob<Kind extends string, Payload extends z.ZodType>(
  options: JobDefinitionOptions & {
    readonly kind: Kind
    /** The zod schema of the payload. */
    readonly payload: Payload
    /**
     * The older versions whose jobs a handler still takes: `{ 1: upgradeFrom(schemaOf1, (older) => newest) }`. A job of a
     * version that has no step here waits for a worker that knows it.
     */
    readonly upgrade?: Readonly<Record<number, UpgradeStep<z.input<Payload>>>>
  },
): JobDefinition<Kind, Payload> {
  const { payload, upgrade = {}, ...rest } = options
  const checked = parseOrThrow(definitionOptions, rest, 'invalid_options')
  const version = checked.version ?? firstVersion
  assertOlder(Object.keys(upgrade), version)
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
  }
  const kind = { kind: definition.kind, versions: kindVersionsOf(definition) }
  return {
    ...definition,
    create: (value, jobOptions = noOptions) => createRequest(kind, value, jobOptions),
  }
}

function assertOlder(steps: readonly string[], version: number): void {
  const issues = steps
    .filter(
      (step) => !Number.isInteger(Number(step)) || Number(step) < firstVersion || Number(step) >= version,
    )
    .map((step) => ({
      path: ['upgrade', step],
      message: `must be a version before ${version}, the definition's`,
    }))
  if (issues.length > 0) throw new InvalidInput('invalid_options', issues)
}

/** What `create` was given when it was given none. */
const noOptions = {}

/** A validated request for one job of a kind. Throws `InvalidInput` with every issue when payload or options are wrong. */
export function createRequest(kind: EnqueueableKind, given: unknown, options: JobOptions): JobRequest {
  // Most jobs have no options of their own, and the check of none took as long as that of a small payload.
  const checked = options === noOptions ? { value: {} } : check(jobOptionsSchema, options)
  const optionIssues = issuesOf(checked)
  const { version: wanted } = 'issues' in checked ? {} : checked.value
  const stored = writePayload(given)
  const chosen = 'issues' in stored ? stored : chooseVersion(kind, { stored, wanted })
  if ('issues' in stored || 'issues' in chosen || 'issues' in checked) {
    throw new InvalidInput('invalid_job', [...issuesOf(chosen), ...optionIssues])
  }
  return new CheckedRequest({ kind: kind.kind, version: chosen }, stored, checked.value)
}

/** The job that a request has become: what it says, what its insert has given it, and what is the same of all new jobs. */
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

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { readonly value: z.output<Schema> } | Refused {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { value: parsed.data }
  return {
    issues: parsed.error.issues.map((issue) => ({ path: plainPath(issue.path), message: issue.message })),
  }
}

function issuesOf(checked: object | Refused): readonly InputIssue[] {
  return 'issues' in checked ? checked.issues : []
}

/** What `schema` makes of `value`; throws `InvalidInput` with every issue when it refuses. */
export function parseOrThrow<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: 'invalid_job' | 'invalid_options' | 'invalid_limit' | 'invalid_schedule',
): z.output<Schema> {
  const checked = check(schema, value)
  if ('issues' in checked) throw new InvalidInput(code, checked.issues)
  return checked.value
}
