import { type Job, limits } from '@queue/core'
import {
  anyJson,
  cancelReasons,
  encodeRetryPolicy,
  instantOutput,
  jobFields,
  jobOptions,
  retryPolicyWireSchema,
  type ShownColumn,
  uniqueFields,
} from '@queue/core/internal'
import { z } from 'zod'
import { type JobView, shownPayload, shownResult, shownWorker } from '../../kinds/job-view.ts'
import { jobStatus } from '../../wire/job-status.ts'

/** The path parameter of a job. An invalid id is answered with 404, since no job has it. */
export const jobIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'Id of the job.',
    example: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  }),
})

/** The retry policy of a job. It has its own schema: sharing the one of requests would make that one nullable too. */
const jobRetryPolicy = retryPolicyWireSchema.nullable().meta({
  id: 'JobRetryPolicy',
  description: 'How the job waits between its attempts. Null uses the policy of the kind or of the worker.',
})

/** The description of a payload in responses. */
const payloadDescription =
  'Payload of the job. Callers without payload:read see `***` in place of its sensitive values, or of the whole ' +
  'payload.'

const describedInstant = (description: string) => instantOutput.meta({ description })

/** A job as the API shows it: the visible columns of the table. A value that is not set is null, never absent. */
export const jobSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the job. A UUIDv7, so ids sort by creation time.' }),
    queue: jobFields.queue.meta({ description: 'Queue of the job.' }),
    kind: jobFields.kind.meta({ description: 'Kind of the job.' }),
    kind_version: jobFields.kindVersion.meta({ description: 'Kind version of the payload.' }),
    tenant_id: jobFields.tenantId.nullable().meta({ description: 'Tenant of the job. Null if it has none.' }),
    key: jobFields.key.nullable().meta({
      description: 'Key of the job, by which limits can apply. Null if it has none. It is never hidden.',
    }),
    weight: jobFields.weight.meta({
      description: 'Tokens that a start of the job takes from each rate limit.',
    }),
    payload: anyJson.meta({ description: payloadDescription }),
    metadata: jobFields.metadata.nullable().meta({ description: jobOptions.metadata.texts.enqueue }),
    status: jobStatus,
    priority: jobFields.priority.meta({ description: 'Priority of the job. Lower numbers start first.' }),
    attempts: z.int().min(0).meta({ description: 'Number of attempts so far, including a running one.' }),
    max_attempts: jobFields.maxAttempts.meta({ description: 'Maximum number of attempts.' }),
    timeout_ms: jobFields.timeoutMs.nullable().meta({
      description:
        'Timeout of one attempt in milliseconds. Null uses the default of the kind or of the worker.',
    }),
    retry_policy: jobRetryPolicy,
    crashes: z.int().min(0).meta({ description: 'Number of attempts whose worker was lost.' }),
    last_error: z.string().nullable().meta({
      description: 'Error of the last failed attempt, without sensitive values. It is kept after a success.',
    }),
    result: anyJson.meta({
      description:
        'Return value of the handler. Callers without payload:read see `***`, unless nothing of the payload is sensitive ' +
        'or open_results is true.',
    }),
    progress: z.int().min(0).max(100).nullable().meta({
      description: 'Progress in percent, as last reported by the handler. Null if it has reported none.',
    }),
    progress_message: z
      .string()
      .max(limits.progressMessageLengthMax)
      .nullable()
      .meta({ description: 'Message that the handler last reported with its progress.' }),
    run_at: describedInstant('Earliest start of the next attempt.'),
    expires_at: describedInstant(
      'Expiry: the job is cancelled if it has not started by this time. Null if it does not expire, or no longer.',
    ).nullable(),
    locked_at: describedInstant('Time when the running attempt was claimed.').nullable(),
    locked_by: z.string().nullable().meta({
      description: 'Id of the worker that runs the job now. `***` for callers that are bound to a tenant.',
    }),
    cancel_requested: z.boolean().meta({ description: 'Whether cancellation was requested.' }),
    cancel_reason: z.enum(cancelReasons).nullable().meta({
      description: 'Why the queue itself cancelled the job. Null if a caller cancelled it.',
    }),
    idempotency_key: jobFields.idempotencyKey
      .nullable()
      .meta({ description: 'Idempotency key of the job. Null if it has none.' }),
    unique_key: uniqueFields.key.nullable().meta({
      description: 'Unique key that the job holds or has held. Null if it has none. It is never hidden.',
    }),
    unique_scope: uniqueFields.scope.nullable().meta({
      description:
        'How long the job holds the unique key. Null without one, and once a requeue has given it up.',
    }),
    trace_context: z
      .string()
      .nullable()
      .meta({ description: 'W3C traceparent of the request that enqueued the job.' }),
    sensitive: z.array(z.string()).nullable().meta({
      description:
        'JSON pointers to the parts of the payload that were sensitive when it was written. Null means all of it.',
    }),
    open_results: z.boolean().meta({
      description:
        'Whether callers without payload:read see the result, although parts of the payload are sensitive.',
    }),
    created_at: describedInstant('Time when the job was enqueued.'),
    updated_at: describedInstant('Time of the last change.'),
    stripped_at: describedInstant(
      'Time when retention removed the payload, metadata, result, errors and history. Null if nothing was removed. ' +
        'What is left is a receipt: its idempotency key is still known, but it cannot be requeued or duplicated.',
    ).nullable(),
    finished_at: describedInstant('Time when the job reached a final status.').nullable(),
  } satisfies Record<ShownColumn, z.ZodType>)
  .meta({ id: 'Job', description: 'A job. All times are in UTC, by the clock of the database.' })

export type WireJob = z.output<typeof jobSchema>

/** Encodes a job for the wire. Values that the view hides are masked. */
export function encodeJob(job: Job, view: JobView): WireJob {
  return {
    id: job.id,
    queue: job.queue,
    kind: job.kind,
    kind_version: job.kindVersion,
    tenant_id: job.tenantId,
    key: job.key,
    weight: job.weight,
    payload: shownPayload(job, view),
    metadata: job.metadata,
    status: job.status,
    priority: job.priority,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    timeout_ms: job.timeoutMs,
    retry_policy: job.retryPolicy && (encodeRetryPolicy(job.retryPolicy) as WireJob['retry_policy']),
    crashes: job.crashes,
    last_error: job.lastError,
    result: shownResult(job, view),
    progress: job.progress,
    progress_message: job.progressMessage,
    run_at: job.runAt.toISOString(),
    expires_at: toIso(job.expiresAt),
    locked_at: toIso(job.lockedAt),
    locked_by: job.lockedBy === null ? null : shownWorker(job.lockedBy, view),
    cancel_requested: job.cancelRequested,
    cancel_reason: job.cancelReason,
    idempotency_key: job.idempotencyKey,
    unique_key: job.uniqueKey,
    unique_scope: job.uniqueScope,
    trace_context: job.traceContext,
    sensitive: job.sensitive && [...job.sensitive],
    open_results: job.openResults,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    stripped_at: toIso(job.strippedAt),
    finished_at: toIso(job.finishedAt),
  }
}

function toIso(instant: Date | null): string | null {
  return instant === null ? null : instant.toISOString()
}

/** The example of the documentation. */
export const jobExample: WireJob = {
  id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  queue: 'default',
  kind: 'send_email',
  kind_version: 1,
  tenant_id: null,
  key: null,
  weight: 1,
  payload: { to: 'ada@example.com', subject: 'Welcome', body: 'Good to have you here.' },
  metadata: { order_id: 4711 },
  status: 'queued',
  priority: 4,
  attempts: 0,
  max_attempts: 3,
  timeout_ms: null,
  retry_policy: null,
  crashes: 0,
  last_error: null,
  result: null,
  progress: null,
  progress_message: null,
  run_at: '2026-01-15T09:30:00.000Z',
  expires_at: null,
  locked_at: null,
  locked_by: null,
  cancel_requested: false,
  cancel_reason: null,
  idempotency_key: 'welcome-ada',
  unique_key: null,
  unique_scope: null,
  trace_context: null,
  sensitive: [],
  open_results: false,
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
  stripped_at: null,
  finished_at: null,
}
