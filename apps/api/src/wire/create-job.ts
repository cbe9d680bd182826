import { type JobOptions, limits } from '@queue/core'
import { decodeRetryPolicy, isTraceparent, jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { metadataDescription, metadataMeta, retryPolicy } from './job.ts'
import { decodeUnique, uniqueSchema } from './unique.ts'
import { anyJson, instantInput } from './values.ts'

/** The request that enqueues a job. The payload is validated by its kind. */
export const createJobSchema = z
  .strictObject({
    kind: jobFields.kind.meta({ description: 'Kind of the job. The server must know it.' }),
    version: jobFields.kindVersion.optional().meta({
      description: 'Version of the kind. Defaults to the newest version whose schema accepts the payload.',
    }),
    payload: anyJson.meta({ description: 'Input of the handler.' }),
    queue: jobFields.queue
      .optional()
      .meta({ description: 'Queue of the job. Defaults to the queue of the kind.' }),
    priority: jobFields.priority.optional().meta({
      description:
        'Priority from 0 to 9. Lower numbers start first. Defaults to the priority of the kind, or to 4.',
    }),
    run_at: instantInput.optional().meta({
      type: 'string',
      format: 'date-time',
      description: 'Earliest start. A time in the past counts as now. Cannot be combined with delay_ms.',
    }),
    delay_ms: jobFields.delayMs.optional().meta({
      description: 'Delay until the earliest start, in milliseconds. Cannot be combined with run_at.',
    }),
    expires_at: instantInput.optional().meta({
      type: 'string',
      format: 'date-time',
      description:
        'Expiry: the job is cancelled if it has not started by this time. Must be after the earliest start. Cannot be ' +
        'combined with expires_in_ms.',
    }),
    expires_in_ms: jobFields.expiresInMs
      .optional()
      .meta({ description: 'Expiry, in milliseconds from now. Cannot be combined with expires_at.' }),
    max_attempts: jobFields.maxAttempts.optional().meta({
      description: 'Maximum number of attempts, from 1 to 100. Defaults to that of the kind, or to 3.',
    }),
    timeout_ms: jobFields.timeoutMs.optional().meta({
      description: 'Timeout of one attempt in milliseconds. Defaults to that of the kind or of the worker.',
    }),
    retry_policy: retryPolicy.optional(),
    idempotency_key: jobFields.callersKey.optional().meta({
      description:
        'Makes the request safe to repeat: a key creates at most one job per tenant. The header Idempotency-Key takes ' +
        'precedence. The key is never hidden.',
    }),
    metadata: jobFields.metadata.optional().meta({ ...metadataMeta, description: metadataDescription }),
    unique: uniqueSchema
      .optional()
      .meta({ description: 'Makes the job the only one of its kind and tenant with a unique key.' }),
    tenant_id: jobFields.tenantId
      .optional()
      .meta({ description: 'Tenant of the job. Idempotency keys are unique within a tenant.' }),
    key: jobFields.key.optional().meta({
      description:
        'Key of the job, such as a customer id. Limits can apply to all jobs with the same key. Defaults to the value at ' +
        'the key pointer of the kind in the payload. It is never hidden.',
    }),
    weight: jobFields.weight.optional().meta({
      description:
        'Tokens that a start of the job takes from each rate limit that applies, up to the burst of that limit. Defaults ' +
        'to the weight of the kind, or to 1.',
    }),
  })
  .refine((job) => job.run_at === undefined || job.delay_ms === undefined, {
    path: ['delay_ms'],
    error: 'give run_at or delay_ms, not both',
  })
  .meta({ id: 'CreateJob' })

export type CreateJob = z.output<typeof createJobSchema>

/**
 * The headers of every request that enqueues. They have no examples: Swagger UI would send the example with every request, so
 * that separate requests would share a key or a trace.
 */
export const enqueueHeaders = {
  prefer: z
    .string()
    .optional()
    .meta({
      description:
        '`handling=strict` (RFC 7240) refuses a known idempotency key with a different request (422). By default, the ' +
        'response contains the original job.',
    }),
  traceparent: z
    .string()
    .optional()
    .meta({
      description:
        'W3C trace context, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. It is passed on to the ' +
        'handler of the job. A malformed value is ignored.',
    }),
} as const

export const enqueuePreferHeader = z
  .string()
  .optional()
  .meta({
    description:
      '`handling=strict` refuses a known idempotency key with a different request (422). `wait=N` delays the response ' +
      'until the job has ended, for at most N seconds (maximum 25). Combine them as `handling=strict, wait=10`.',
  })

export const idempotencyKeyHeader = z
  .string()
  .min(1)
  .max(limits.idempotencyKeyLengthMax)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII: send any other key in the body')
  .optional()
  .meta({
    description:
      'Makes the request safe to repeat: a known key is answered with the job that it created. Use one key for each ' +
      'job, such as `welcome-ada`. Takes precedence over idempotency_key in the body.',
  })

/** The trace context if it is valid. The W3C recommendation demands that malformed ones are ignored. */
export function acceptedTraceparent(header: string | undefined): string | undefined {
  return header !== undefined && isTraceparent(header) ? header : undefined
}

/** Options of a job that a request has outside of its body. */
export interface RequestOptions {
  /** From the header. It takes precedence over the body. */
  readonly idempotencyKey?: string | undefined
  readonly traceContext?: string | undefined
}

/** Decodes the options of a job to the names of `@queue/core`. */
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

/** The examples of the documentation. They have no idempotency key: everybody who tries one out would get the same job. */
export const createJobExamples = {
  plain: {
    summary: 'Send an e-mail as soon as possible',
    value: {
      kind: 'send_email',
      payload: { to: 'ada@example.com', subject: 'Welcome', body: 'Good to have you here.' },
    },
  },
  scheduled: {
    summary: 'Call a webhook in five minutes, with up to ten attempts',
    value: {
      kind: 'webhook_delivery',
      payload: { url: 'https://example.com/hooks/orders', body: { order_id: 42 } },
      delay_ms: 300_000,
      max_attempts: 10,
      retry_policy: { type: 'exponential', jitter: 'full', base_ms: 1_000, cap_ms: 300_000 },
    },
  },
} as const
