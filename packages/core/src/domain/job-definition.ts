import { z } from 'zod'
import { InvalidInput, type InputIssue } from './errors.ts'
import { fingerprint } from './idempotency.ts'
import { type Job, jobFields, queueDefault } from './job.ts'
import { findJsonFault, type JsonValue, writtenOutBytes } from './json.ts'
import {
  maxAttemptsDefault,
  payloadBytesMax,
  payloadDepthMax,
  payloadNodesMax,
  priorityDefault,
} from './limits.ts'
import type { OptionsOf } from './options-of.ts'
import type { RetryPolicy } from './retry.ts'

/** What a kind of job is: its name, the shape of its payload, and the defaults of its jobs. */
export interface JobDefinition<Kind extends string = string, Payload extends z.ZodType = z.ZodType> {
  readonly kind: Kind
  readonly payload: Payload
  readonly queue: string
  readonly priority: number
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  /** A validated request for one job. Throws `InvalidInput` with every issue when payload or options are wrong. */
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
}
const definitionOptions = z.strictObject({ kind: jobFields.kind, ...definitionFields })

/** What `defineJob` takes besides the payload's schema. */
export type JobDefinitionOptions = OptionsOf<typeof definitionFields> & {
  /** The name of the kind, by which a worker finds its handler: 1 to 63 of a-z 0-9 _ . -, the first a letter or digit. */
  readonly kind: string
}

const jobOptionFields = {
  /** In place of the queue of its kind: 1 to 63 of a-z 0-9 _ . -, the first a letter or digit. */
  queue: jobFields.queue.optional(),
  /** In place of the priority of its kind, 0 to 9; lower runs first. */
  priority: jobFields.priority.optional(),
  /** The earliest start, by the database's clock; a past instant counts as now. Give this or `delayMs`. */
  runAt: jobFields.runAt.optional(),
  /** Milliseconds from now, by the database's clock, to the earliest start. Give this or `runAt`. */
  delayMs: jobFields.delayMs.optional(),
  /** In place of the attempts of its kind, the first included: 1 to 100. */
  maxAttempts: jobFields.maxAttempts.optional(),
  /** Milliseconds that one attempt may take, in place of those of its kind. */
  timeoutMs: jobFields.timeoutMs.optional(),
  /** How long the job waits before its next attempt, in place of the policy of its kind. */
  retryPolicy: jobFields.retryPolicy.optional(),
  /** One key makes one job within its tenant, however often it is enqueued, for as long as the job's row is kept. */
  idempotencyKey: jobFields.idempotencyKey.optional(),
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

/** The options of one job; what is absent comes from its definition. */
export type JobOptions = OptionsOf<typeof jobOptionFields>

/** A job that is valid and waits to be written. */
export interface JobRequest {
  readonly kind: string
  readonly queue: string
  readonly payload: JsonValue
  /** The JSON text that is stored. */
  readonly payloadText: string
  readonly priority: number
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  readonly runAt: Date | null
  readonly delayMs: number | null
  readonly idempotencyKey: string | null
  /** Present exactly when there is an idempotency key. */
  readonly fingerprint: Buffer | null
  readonly tenantId: string | null
  readonly traceContext: string | null
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
  },
): JobDefinition<Kind, Payload> {
  const { payload, ...rest } = options
  const checked = parseOrThrow(definitionOptions, rest, 'invalid_options')
  const definition = {
    kind: options.kind,
    payload,
    queue: checked.queue ?? queueDefault,
    priority: checked.priority ?? priorityDefault,
    maxAttempts: checked.maxAttempts ?? maxAttemptsDefault,
    timeoutMs: checked.timeoutMs ?? null,
    retryPolicy: checked.retryPolicy ?? null,
  }
  return {
    ...definition,
    create: (value, jobOptions = noOptions) => createRequest(definition, value, jobOptions),
  }
}

/** What `create` was given when it was given none. */
const noOptions = {}

function createRequest(
  definition: Omit<JobDefinition, 'create'>,
  given: unknown,
  options: JobOptions,
): JobRequest {
  const payload = checkPayload(definition.payload, given)
  // Most jobs have no options of their own, and the check of none took as long as that of a small payload.
  const checked = options === noOptions ? { value: {} } : check(jobOptionsSchema, options)
  if ('issues' in payload || 'issues' in checked) {
    throw new InvalidInput('invalid_job', [...issuesOf(payload), ...issuesOf(checked)])
  }
  return assembleRequest(definition, payload, checked.value)
}

function assembleRequest(
  definition: Omit<JobDefinition, 'create'>,
  { value: payload, text: payloadText }: StoredPayload,
  options: z.output<typeof jobOptionsSchema>,
): JobRequest {
  const queue = options.queue ?? definition.queue
  const idempotencyKey = options.idempotencyKey ?? null
  return {
    kind: definition.kind,
    queue,
    payload,
    payloadText,
    priority: options.priority ?? definition.priority,
    maxAttempts: options.maxAttempts ?? definition.maxAttempts,
    timeoutMs: options.timeoutMs ?? definition.timeoutMs,
    retryPolicy: options.retryPolicy ?? definition.retryPolicy,
    runAt: options.runAt ?? null,
    delayMs: options.delayMs ?? null,
    idempotencyKey,
    fingerprint: idempotencyKey === null ? null : fingerprint({ kind: definition.kind, queue, payload }),
    tenantId: options.tenantId ?? null,
    traceContext: options.traceContext ?? null,
  }
}

/** The job that a request has become: what it says, what its insert has given it, and what is the same of all new jobs. */
export function newJob<Constants>(
  constants: Constants,
  request: JobRequest,
  { id, runAt, createdAt }: Pick<Job, 'id' | 'runAt' | 'createdAt'>,
) {
  return {
    ...constants,
    id,
    queue: request.queue,
    kind: request.kind,
    tenantId: request.tenantId,
    payload: request.payload,
    priority: request.priority,
    maxAttempts: request.maxAttempts,
    timeoutMs: request.timeoutMs,
    retryPolicy: request.retryPolicy,
    runAt,
    idempotencyKey: request.idempotencyKey,
    traceContext: request.traceContext,
    createdAt,
    updatedAt: createdAt,
  }
}

/** An input that is wrong, and everything that is wrong with it. */
export interface Refused {
  readonly issues: readonly InputIssue[]
}

/** A document as it is stored. */
export interface StoredPayload {
  /** The payload as a reader of the database gets it back: dates are texts, undefined members are gone. */
  readonly value: JsonValue
  readonly text: string
}

const payloadBounds = { depthMax: payloadDepthMax, nodesMax: payloadNodesMax }

/**
 * The payload that its schema accepts and jsonb can hold. The form is checked before the schema: schemas recurse,
 * and a nesting of many thousand levels would exhaust their stack. The schema judges the payload as it is stored,
 * because that is what it has to parse again before the handler runs.
 */
export function checkPayload(schema: z.ZodType, payload: unknown): StoredPayload | Refused {
  const fault = findJsonFault(payload, payloadBounds)
  if (fault !== undefined) return { issues: prefixed([fault]) }
  const text = JSON.stringify(payload)
  if (writtenOutBytes(text) > payloadBytesMax) {
    return { issues: prefixed([{ path: [], message: `is larger than ${payloadBytesMax} bytes` }]) }
  }
  const value = JSON.parse(text) as JsonValue
  const parsed = schema.safeParse(value)
  return parsed.success ? { value, text } : { issues: prefixed(parsed.error.issues) }
}

function prefixed(issues: readonly { path: readonly PropertyKey[]; message: string }[]): InputIssue[] {
  return issues.map((issue) => ({ path: ['payload', ...plainPath(issue.path)], message: issue.message }))
}

function plainPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'symbol' ? String(part) : part))
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
  code: 'invalid_job' | 'invalid_options',
): z.output<Schema> {
  const checked = check(schema, value)
  if ('issues' in checked) throw new InvalidInput(code, checked.issues)
  return checked.value
}
