import { type Job, jobStatuses, limits } from '@queue/core'
import {
  cancelReasons,
  encodeRetryPolicy,
  jobFields,
  metadataNamePattern,
  retryPolicyWireSchema,
  uniqueFields,
} from '@queue/core/fields'
import type { ShownColumn } from '@queue/core/schema'
import { z } from 'zod'
import { type JobView, maskerOf } from '../kinds/job-view.ts'
import { anyJson, instantOutput } from './values.ts'

export const jobStatus = z.enum(jobStatuses).meta({
  id: 'JobStatus',
  description: 'The state of a job; succeeded, failed_permanent and cancelled are final.',
})

/** The parameters of a job's path. Text that is no id names no job: 404, and not a complaint about its form. */
export const jobIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'The id of the job.',
    example: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  }),
})

/** How long a job waits between its attempts, in the names of the wire. */
export const retryPolicy = retryPolicyWireSchema.meta({
  id: 'RetryPolicy',
  description: 'How long a job waits between its attempts. Absent members take the defaults of the policy.',
})

/** That of a job. A schema of its own: if it shared the one of requests, the document would let them send null too. */
const jobRetryPolicy = retryPolicyWireSchema.nullable().meta({
  id: 'JobRetryPolicy',
  description: "How the job waits between its attempts; null: as its kind's or the worker's policy says.",
})

export const metadataDescription =
  `What the job can be found by: ${limits.metadataMembersMax} members and ${limits.metadataBytesMax} bytes at most. Nothing of it ` +
  'is masked, so it is no place for secrets.'

/** What JSON Schema can say of it, for requests. */
export const metadataMeta = {
  maxProperties: limits.metadataMembersMax,
  propertyNames: { pattern: metadataNamePattern.source },
} as const

const describedInstant = (description: string) => instantOutput.meta({ description })

/** A job as the API shows it: the shown columns of the table, the nullable ones null and never absent. */
export const jobSchema = z
  .object({
    id: z.uuid().meta({ description: 'A UUIDv7: the order of ids is the order of creation.' }),
    queue: jobFields.queue.meta({ description: 'The queue it waits in.' }),
    kind: jobFields.kind.meta({ description: 'What kind of job it is.' }),
    kind_version: jobFields.kindVersion.meta({
      description: 'The version of its kind that its payload is of.',
    }),
    tenant_id: jobFields.tenantId.nullable().meta({ description: 'Whose it is; null without tenants.' }),
    key: jobFields.key.nullable().meta({
      description: 'Jobs of one key can be limited together; null: it has none. Masked as the payload is.',
    }),
    weight: jobFields.weight.meta({ description: 'How many tokens its start costs, of each rate.' }),
    payload: anyJson.meta({
      description:
        'The input of its handler, as it was sent. Without the permission payload:read, `***` stands for each value ' +
        'that its kind calls sensitive, or for all of it.',
    }),
    metadata: jobFields.metadata.nullable().meta({ description: metadataDescription }),
    status: jobStatus,
    priority: jobFields.priority.meta({ description: 'Lower runs first.' }),
    attempts: z.int().min(0).meta({ description: 'Attempts begun so far.' }),
    max_attempts: jobFields.maxAttempts.meta({ description: 'How many attempts it may have.' }),
    timeout_ms: jobFields.timeoutMs.nullable().meta({
      description: "Milliseconds that one attempt may take; null: the kind's or the worker's default.",
    }),
    retry_policy: jobRetryPolicy,
    crashes: z.int().min(0).meta({ description: 'Attempts that ended because their worker was lost.' }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: 'Why the last failed attempt failed; kept after a success.' }),
    result: anyJson.meta({
      description:
        'What its handler returned. Without the permission payload:read, `***` stands for what is sensitive.',
    }),
    progress: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'Percent, as the handler last reported it.' }),
    progress_message: z.string().max(limits.progressMessageLengthMax).nullable(),
    run_at: describedInstant('The earliest start of the next attempt.'),
    expires_at: describedInstant(
      'When it is cancelled if it has not begun by then; null: never, or no longer.',
    ).nullable(),
    locked_at: describedInstant('When the running attempt was claimed.').nullable(),
    locked_by: z.string().nullable().meta({ description: 'The worker that runs it now.' }),
    cancel_requested: z.boolean(),
    cancel_reason: z.enum(cancelReasons).nullable().meta({
      description: 'Why the queue itself has cancelled it; null where somebody has.',
    }),
    idempotency_key: jobFields.idempotencyKey.nullable(),
    unique_key: uniqueFields.key.nullable().meta({
      description: 'The key under which it is the only job of its kind and tenant, or was.',
    }),
    unique_scope: uniqueFields.scope.nullable().meta({ description: 'For how long; null without a key.' }),
    trace_context: z
      .string()
      .nullable()
      .meta({ description: 'The traceparent (W3C) of the request that made it.' }),
    created_at: describedInstant('When it was enqueued.'),
    updated_at: describedInstant('When it last changed.'),
    stripped_at: describedInstant(
      'When the retention removed its payload, metadata, result, errors and history; null: everything is there. What is left ' +
        'is a receipt, by which its idempotency key is still known. It cannot be requeued or duplicated.',
    ).nullable(),
    finished_at: describedInstant('When it reached a final state.').nullable(),
  } satisfies Record<ShownColumn, z.ZodType>)
  .meta({ id: 'Job', description: 'One job. All instants are in UTC, by the clock of the database.' })

export type WireJob = z.output<typeof jobSchema>

/** A job in the names and types of the wire, without what the view hides. */
export function encodeJob(job: Job, view: JobView): WireJob {
  const masker = maskerOf(job, view)
  return {
    id: job.id,
    queue: job.queue,
    kind: job.kind,
    kind_version: job.kindVersion,
    tenant_id: job.tenantId,
    key: job.key && masker.text(job.key),
    weight: job.weight,
    payload: masker.payload,
    metadata: job.metadata,
    status: job.status,
    priority: job.priority,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    timeout_ms: job.timeoutMs,
    retry_policy: job.retryPolicy && (encodeRetryPolicy(job.retryPolicy) as WireJob['retry_policy']),
    crashes: job.crashes,
    last_error: job.lastError && masker.text(job.lastError),
    result: masker.document(job.result),
    progress: job.progress,
    progress_message: job.progressMessage && masker.text(job.progressMessage),
    run_at: job.runAt.toISOString(),
    expires_at: toIso(job.expiresAt),
    locked_at: toIso(job.lockedAt),
    locked_by: job.lockedBy,
    cancel_requested: job.cancelRequested,
    cancel_reason: job.cancelReason,
    idempotency_key: job.idempotencyKey,
    unique_key: job.uniqueKey,
    unique_scope: job.uniqueScope,
    trace_context: job.traceContext,
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
    stripped_at: toIso(job.strippedAt),
    finished_at: toIso(job.finishedAt),
  }
}

function toIso(instant: Date | null): string | null {
  return instant === null ? null : instant.toISOString()
}

/** A job as the documentation shows one. */
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
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
  stripped_at: null,
  finished_at: null,
}
