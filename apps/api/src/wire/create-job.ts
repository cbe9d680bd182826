import { type JobOptions, limits } from '@queue/core'
import { decodeRetryPolicy, isTraceparent, jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { metadataDescription, metadataMeta, retryPolicy } from './job.ts'
import { decodeUnique, uniqueSchema } from './unique.ts'
import { anyJson, instantInput } from './values.ts'

/** A job to be enqueued, as a client sends it. The payload is checked by its kind. */
export const createJobSchema = z
  .strictObject({
    kind: jobFields.kind.meta({ description: 'One of the kinds that the server knows.' }),
    version: jobFields.kindVersion.optional().meta({
      description: 'The version of the kind. Absent: the newest whose schema accepts the payload.',
    }),
    payload: anyJson.meta({ description: "The input of the kind's handler." }),
    queue: jobFields.queue.optional().meta({ description: "Absent: the kind's own queue." }),
    priority: jobFields.priority
      .optional()
      .meta({ description: "Lower runs first. Absent: the kind's own, mostly 4." }),
    run_at: instantInput.optional().meta({
      type: 'string',
      format: 'date-time',
      description: 'The earliest start; a past instant counts as now. Not together with delay_ms.',
    }),
    delay_ms: jobFields.delayMs
      .optional()
      .meta({ description: 'Milliseconds from now to the earliest start.' }),
    expires_at: instantInput.optional().meta({
      type: 'string',
      format: 'date-time',
      description:
        'After the earliest start: a job that has not begun by then is cancelled. Not together with expires_in_ms.',
    }),
    expires_in_ms: jobFields.expiresInMs
      .optional()
      .meta({ description: 'Milliseconds from now to the same.' }),
    max_attempts: jobFields.maxAttempts.optional().meta({ description: "Absent: the kind's own, mostly 3." }),
    timeout_ms: jobFields.timeoutMs
      .optional()
      .meta({ description: 'Milliseconds that one attempt may take.' }),
    retry_policy: retryPolicy.optional(),
    idempotency_key: jobFields.callersKey.optional().meta({
      description:
        'Makes repeating the request safe. The header Idempotency-Key takes precedence over this field.',
    }),
    metadata: jobFields.metadata.optional().meta({ ...metadataMeta, description: metadataDescription }),
    unique: uniqueSchema
      .optional()
      .meta({ description: 'That it is the only job of its kind and tenant under a key.' }),
    tenant_id: jobFields.tenantId
      .optional()
      .meta({ description: 'Whose job it is. Idempotency keys are unique per tenant.' }),
    key: jobFields.key.optional().meta({
      description:
        "Jobs of one key, such as those of one customer, can be limited together. Absent: what the kind's own pointer finds in the payload.",
    }),
    weight: jobFields.weight.optional().meta({
      description:
        'How many tokens its start costs, of each rate that holds for it; no rate takes more than its burst. ' +
        "Absent: the kind's own, mostly 1.",
    }),
  })
  .refine((job) => job.run_at === undefined || job.delay_ms === undefined, {
    path: ['delay_ms'],
    error: 'give run_at or delay_ms, not both',
  })
  .meta({ id: 'CreateJob' })

export type CreateJob = z.output<typeof createJobSchema>

/**
 * The headers of every request that enqueues. None has an example: the documentation page would send it with every request
 * that is tried out, and a key or a trace is not to be shared.
 */
export const enqueueHeaders = {
  prefer: z
    .string()
    .optional()
    .meta({
      description:
        'With handling=strict (RFC 7240), a known idempotency key with a different request is refused with 422, ' +
        'and not answered with the original job.',
    }),
  traceparent: z
    .string()
    .optional()
    .meta({
      description:
        'A W3C trace context, as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; it travels with the job to its ' +
        'handler. One that is malformed is ignored.',
    }),
} as const

export const enqueuePreferHeader = z
  .string()
  .optional()
  .meta({
    description:
      'handling=strict refuses a known idempotency key with a different request (422). wait=N answers when the job has ' +
      'ended, at the latest after N seconds (25 at most): `handling=strict, wait=10`.',
  })

export const idempotencyKeyHeader = z
  .string()
  .min(1)
  .max(limits.idempotencyKeyLengthMax)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII; other keys go into the body')
  .optional()
  .meta({
    description:
      'Makes repeating the request safe: a known key is answered with the job that it made. Use one key for each job, ' +
      'such as `welcome-ada`. It takes precedence over the body.',
  })

/** The trace context if it is one: the recommendation has malformed ones ignored. */
export function acceptedTraceparent(header: string | undefined): string | undefined {
  return header !== undefined && isTraceparent(header) ? header : undefined
}

/** What a request says beside its body. */
export interface RequestOptions {
  /** From the header, which wins. */
  readonly idempotencyKey?: string | undefined
  readonly traceContext?: string | undefined
}

/** The options of a job in the names of `@queue/core`. */
export function decodeJobOptions(job: CreateJob, request: RequestOptions = {}): JobOptions {
  return {
    version: job.version,
    queue: job.queue,
    priority: job.priority,
    runAt: job.run_at,
    delayMs: job.delay_ms,
    expiresAt: job.expires_at,
    expiresInMs: job.expires_in_ms,
    metadata: job.metadata,
    maxAttempts: job.max_attempts,
    timeoutMs: job.timeout_ms,
    retryPolicy: job.retry_policy && (decodeRetryPolicy(job.retry_policy) ?? undefined),
    idempotencyKey: request.idempotencyKey ?? job.idempotency_key,
    unique: job.unique && decodeUnique(job.unique),
    tenantId: job.tenant_id,
    key: job.key,
    weight: job.weight,
    traceContext: request.traceContext,
  }
}

/** Requests as the documentation shows them. None has a key: whoever tries one out would get somebody else's job. */
export const createJobExamples = {
  plain: {
    summary: 'An e-mail, as soon as possible',
    value: {
      kind: 'send_email',
      payload: { to: 'ada@example.com', subject: 'Welcome', body: 'Good to have you here.' },
    },
  },
  scheduled: {
    summary: 'A webhook in five minutes, tried up to ten times',
    value: {
      kind: 'webhook_delivery',
      payload: { url: 'https://example.com/hooks/orders', body: { order_id: 42 } },
      delay_ms: 300_000,
      max_attempts: 10,
      retry_policy: { type: 'exponential', jitter: 'full', base_ms: 1_000, cap_ms: 300_000 },
    },
  },
} as const
