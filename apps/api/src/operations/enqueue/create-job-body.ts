import { type JobOptions, limits } from '@queue/core'
import { type CreateJobDocument, decodeMembers, isTraceparent } from '@queue/core/internal'
import { z } from 'zod'

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
export function decodeJobOptions(job: CreateJobDocument, request: RequestOptions = {}): JobOptions {
  const { idempotencyKey, ...options } = decodeMembers<'enqueue'>(job)
  return {
    ...options,
    idempotencyKey: request.idempotencyKey ?? idempotencyKey,
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
