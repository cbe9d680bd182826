import { limits } from '@queue/core'
import { isTraceparent } from '@queue/core/fields'
import { z } from 'zod'

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

/** The header of requests that can wait for a job. */
export const waitPreferHeader = z.string().optional().meta({
  description:
    'With wait=N (RFC 7240) the answer comes when the job has ended, at the latest after N seconds (25 at most).',
})

export const idempotencyKeyHeader = z
  .string()
  .min(1)
  .max(limits.idempotencyKeyLengthMax)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII; other keys go into the body')
  .optional()
  .meta({
    description:
      'Makes repeating the request safe: a key that is known gives the job that it made. Such as `welcome-ada`: one for ' +
      'each job that is meant. Wins over the body.',
  })

/** The trace context if it is one: the recommendation has malformed ones ignored. */
export function acceptedTraceparent(header: string | undefined): string | undefined {
  return header !== undefined && isTraceparent(header) ? header : undefined
}
