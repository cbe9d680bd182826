import { z } from 'zod'
import type { JsonValue } from './json.ts'
import * as limits from './limits.ts'
import { runKeyPrefix } from './idempotency.ts'
import { type JobMetadata, metadataSchema } from './metadata.ts'
import { retryPolicySchema, type RetryPolicy } from './retry.ts'
import { isStorable } from './storable.ts'
import { isTraceparent } from './trace-context.ts'
import type { UniqueScope } from './unique.ts'

/** The states of a job, in the order in which the database's enum declares them. */
export const jobStatuses = [
  'queued',
  'running',
  'succeeded',
  'retrying',
  'failed_permanent',
  'cancelled',
] as const

export type JobStatus = (typeof jobStatuses)[number]

/** Why the queue itself has cancelled a job. */
export const cancelReasons = ['expired'] as const

export type CancelReason = (typeof cancelReasons)[number]

/** A job as every reader sees it. All instants are the database's; nullable columns are null, never absent. */
export interface Job {
  readonly id: string
  readonly queue: string
  readonly kind: string
  /** The version of its kind that the payload is of, from 1. */
  readonly kindVersion: number
  readonly tenantId: string | null
  /** Jobs of one key, such as those of one customer, can be limited together. */
  readonly key: string | null
  /** How many tokens a start of it costs, of each rate that holds for it. */
  readonly weight: number
  readonly payload: JsonValue
  /** What the job can be found by; no secret, since nothing of it is masked. */
  readonly metadata: JobMetadata | null
  readonly status: JobStatus
  /** 0..9; lower runs first. */
  readonly priority: number
  /** Attempts charged so far; +1 at every claim. */
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
  /** When the job is cancelled if it has not begun by then; null: never, or no longer. */
  readonly expiresAt: Date | null
  readonly lockedAt: Date | null
  readonly lockedBy: string | null
  readonly cancelRequested: boolean
  /** Why the queue itself has cancelled the job; null where somebody has. */
  readonly cancelReason: CancelReason | null
  readonly idempotencyKey: string | null
  /** The key under which it is the only job of its kind and tenant, or was. */
  readonly uniqueKey: string | null
  readonly uniqueScope: UniqueScope | null
  readonly traceContext: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly finishedAt: Date | null
  /**
   * When the retention has removed what the job carried: payload, metadata, result, errors and history. What is left stands
   * for its idempotency key. Null: everything is there.
   */
  readonly strippedAt: Date | null
}

/** What identifies one claim of one job. Every write by a worker carries it and holds only while it is current. */
export interface Lease {
  readonly jobId: string
  /** The fencing token: grows by one at every claim and is never reset. */
  readonly token: number
  /**
   * Present where the job has a key, or a limit counts it: its end is written with an event for the claims to come. A lease
   * without it is as good, and takes a second statement where it turns out to be such a one.
   */
  readonly inLane?: true
}

/** A job in the hands of the worker that has just claimed it. */
export interface ClaimedJob {
  readonly lease: Lease
  readonly id: string
  readonly queue: string
  readonly kind: string
  /** The version of its kind that the payload is of, from 1. */
  readonly kindVersion: number
  readonly tenantId: string | null
  readonly key: string | null
  /** Whether a limit counts it: once it has ended, another may start. */
  readonly isCounted: boolean
  readonly payload: JsonValue
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
  /** By when it had to begin; a retry is not held to it. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly claimedAt: Date
  /** Where the claim has written the job's row: see `checkLeases`. */
  readonly ctid: string
}

/** A claimed job before it begins: a payload that its claim did not carry is read then, and undefined until then. */
export type UnbegunJob = Omit<ClaimedJob, 'payload'> & { readonly payload: JsonValue | undefined }

/** How an attempt ended, as its history row says it. */
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
  /** The class of the error that the attempt failed with, and its code where it has one. */
  readonly errorClass: string | null
  /** What is the same of failures of one cause. */
  readonly fingerprint: string | null
}

const namePattern = /^[a-z0-9][a-z0-9_.-]{0,62}$/
const nameMessage = `must match ${namePattern.source}`

const idempotencyKey = z
  .string()
  .min(1)
  .max(limits.idempotencyKeyLengthMax)
  .refine(isStorable, 'contains U+0000 or a lone surrogate')

/** The fields that a caller may set, each written once: options, request bodies and OpenAPI are made of them. */
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
  /** An instant; a past one counts as now. */
  runAt: z.date().max(new Date(limits.runAtMsMax)),
  /** By when the job has to begin. */
  expiresAt: z.date().max(new Date(limits.runAtMsMax)),
  expiresInMs: z.int().min(1).max(limits.delayMsMax),
  retryPolicy: retryPolicySchema,
  idempotencyKey,
  /** A key that a caller gives. */
  callersKey: idempotencyKey.refine(
    (key) => !key.startsWith(runKeyPrefix),
    `must not begin with ${runKeyPrefix}, which is kept for the runs of schedules`,
  ),
  traceContext: z
    .string()
    .max(limits.traceContextLengthMax)
    .refine(isTraceparent, 'is not a W3C traceparent'),
} as const

export const queueDefault = 'default'
