import { z } from 'zod'
import type { JsonValue } from './json.ts'
import * as limits from './limits.ts'
import { runKeyPrefix } from './idempotency.ts'
import { type JobMetadata, metadataSchema } from './metadata.ts'
import { retryPolicySchema, type RetryPolicy } from './retry.ts'
import { isStorable } from './storable.ts'
import { isTraceparent } from './trace-context.ts'
import type { UniqueScope } from './unique.ts'

/** The states of a job, in the order of the database's enum. */
export const jobStatuses = [
  'queued',
  'running',
  'succeeded',
  'retrying',
  'failed_permanent',
  'cancelled',
] as const

export type JobStatus = (typeof jobStatuses)[number]

/** Why the queue itself cancelled a job. */
export const cancelReasons = ['expired'] as const

export type CancelReason = (typeof cancelReasons)[number]

/** A job as readers see it. All instants are by the database's clock; nullable columns are null, never absent. */
export interface Job {
  readonly id: string
  readonly queue: string
  readonly kind: string
  /** The version of the kind that the payload belongs to, from 1. */
  readonly kindVersion: number
  readonly tenantId: string | null
  /** Jobs of one key, such as those of one customer, can be limited together. */
  readonly key: string | null
  /** How many tokens of each rate limit that applies a start of the job costs. */
  readonly weight: number
  readonly payload: JsonValue
  /**
   * The parts of the payload that were sensitive when it was written: JSON pointers, in which `*` stands for each
   * element. Null: all of it.
   */
  readonly sensitive: readonly string[] | null
  /** Whether callers of the API who may not read payloads see the result, although parts of the payload are sensitive. */
  readonly openResults: boolean
  /** Members by which the job can be found. They are never masked, so they must not hold secrets. */
  readonly metadata: JobMetadata | null
  readonly status: JobStatus
  /** 0..9; lower runs first. */
  readonly priority: number
  /** Attempts charged so far. Every claim adds one. */
  readonly attempts: number
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  /** Attempts that ended because the worker was lost. */
  readonly crashes: number
  readonly lastError: string | null
  readonly result: JsonValue
  /** Percent, 0..100, as the handler last reported it. */
  readonly progress: number | null
  readonly progressMessage: string | null
  readonly runAt: Date
  /** The instant at which the job is cancelled if it has not started by then; null: it has no expiry, or has started. */
  readonly expiresAt: Date | null
  readonly lockedAt: Date | null
  readonly lockedBy: string | null
  readonly cancelRequested: boolean
  /** Why the queue itself cancelled the job; null where a caller did. */
  readonly cancelReason: CancelReason | null
  readonly idempotencyKey: string | null
  /** The key under which the job is or was the only one of its kind and tenant. */
  readonly uniqueKey: string | null
  /** How long it holds the key; null where it has none, or has lost it by a requeue. */
  readonly uniqueScope: UniqueScope | null
  readonly traceContext: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly finishedAt: Date | null
  /**
   * When retention removed the payload, metadata, result, errors and history of the job. The remaining row is the
   * receipt of its idempotency key. Null: everything is still there.
   */
  readonly strippedAt: Date | null
}

/** Identifies one claim of one job. Every write by a worker carries it, and is refused once it is no longer current. */
export interface Lease {
  readonly jobId: string
  /** The fencing token: grows by one at every claim and is never reset. */
  readonly token: number
  /**
   * Set where the job has a key, or a limit counts it: the end of the attempt then also writes an event for later
   * claims. A lease without it is equally valid, but costs a second statement when its job turns out to need the event.
   */
  readonly inLane?: true
  /**
   * Set where the job stays in its table when it succeeds. A lease without it is equally valid, but costs a second statement when the
   * job turns out to stay.
   */
  readonly staysInJobs?: true
}

/** A job as the worker that has just claimed it receives it. */
export interface ClaimedJob {
  readonly lease: Lease
  readonly id: string
  readonly queue: string
  readonly kind: string
  /** The version of the kind that the payload belongs to, from 1. */
  readonly kindVersion: number
  readonly tenantId: string | null
  readonly key: string | null
  /** Whether a limit counts it, so that its end lets another job start. */
  readonly isCounted: boolean
  readonly payload: JsonValue
  /** The parts of the payload that were sensitive when it was written: JSON pointers. Null: all of it. */
  readonly sensitive: readonly string[] | null
  readonly metadata: JobMetadata | null
  readonly priority: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  readonly crashes: number
  readonly cancelRequested: boolean
  readonly traceContext: string | null
  readonly runAt: Date
  /** How long it had been due when it was claimed, in microseconds. */
  readonly waitUs: number
  /** The instant by which it had to start. A retry does not have to. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly claimedAt: Date
  /** The physical position of the job's row as the claim wrote it: see `checkLeases`. */
  readonly ctid: string
}

/**
 * A claimed job that has not started. Its payload is undefined where the claim did not carry it; the worker reads it at
 * the start.
 */
export type UnbegunJob = Omit<ClaimedJob, 'payload'> & { readonly payload: JsonValue | undefined }

/** How an attempt ended, as its history row records it. */
export const executionOutcomes = ['succeeded', 'failed', 'lost', 'snoozed', 'released', 'cancelled'] as const

export type ExecutionOutcome = (typeof executionOutcomes)[number]

/** One ended attempt. */
export interface Execution {
  readonly jobId: string
  readonly attempt: number
  readonly leaseToken: number
  readonly workerId: string
  readonly startedAt: Date
  readonly finishedAt: Date
  readonly outcome: ExecutionOutcome
  readonly error: string | null
  /** The class of the error that the attempt failed with, and the error's code where it has one. */
  readonly errorClass: string | null
  /** Equal for failures that have the same cause. */
  readonly fingerprint: string | null
}

const namePattern = /^[a-z0-9][a-z0-9_.-]{0,62}$/
const nameMessage = `must match ${namePattern.source}`

const idempotencyKey = z
  .string()
  .min(1)
  .max(limits.idempotencyKeyLengthMax)
  .refine(isStorable, 'contains U+0000 or a lone surrogate')

/** The fields that a caller can set, each written once. Options, request bodies and OpenAPI are derived from them. */
export const jobFields = {
  queue: z.string().regex(namePattern, nameMessage),
  kind: z.string().regex(namePattern, nameMessage),
  kindVersion: z.int().min(1).max(limits.kindVersionMax),
  metadata: metadataSchema,
  tenantId: z
    .string()
    .min(1)
    .max(limits.tenantIdLengthMax)
    .refine(isStorable, 'contains U+0000 or a lone surrogate'),
  key: z.string().min(1).max(limits.keyLengthMax).refine(isStorable, 'contains U+0000 or a lone surrogate'),
  weight: z.int().min(1).max(limits.jobWeightMax),
  /** A JSON pointer (RFC 6901) to a member of the payload. */
  keyPointer: z
    .string()
    .max(limits.keyPointerLengthMax)
    .regex(/^(?:\/(?:[^/~]|~[01])*)+$/, 'must be a JSON pointer, such as /customer_id')
    .refine(isStorable, 'contains U+0000 or a lone surrogate'),
  priority: z.int().min(limits.priorityMin).max(limits.priorityMax),
  maxAttempts: z.int().min(limits.maxAttemptsMin).max(limits.maxAttemptsMax),
  timeoutMs: z.int().min(1).max(limits.timeoutMsMax),
  delayMs: z.int().min(0).max(limits.delayMsMax),
  /** An instant. A past one counts as now. */
  runAt: z.date().max(new Date(limits.runAtMsMax)),
  /** The instant by which the job has to start. */
  expiresAt: z.date().max(new Date(limits.runAtMsMax)),
  expiresInMs: z.int().min(1).max(limits.delayMsMax),
  retryPolicy: retryPolicySchema,
  idempotencyKey,
  /** An idempotency key that a caller chooses. */
  callersKey: idempotencyKey.refine(
    (key) => !key.startsWith(runKeyPrefix),
    `must not begin with ${runKeyPrefix}, which is reserved for the runs of schedules`,
  ),
  traceContext: z
    .string()
    .max(limits.traceContextLengthMax)
    .refine(isTraceparent, 'is not a W3C traceparent'),
} as const

export const queueDefault = 'default'

/** The series and the tenant of a job. */
export interface CountedJob {
  readonly queue: string
  readonly kind: string
  readonly tenantId: string | null
}
