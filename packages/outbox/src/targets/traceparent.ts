import { jobFields } from '@queue/core/internal'
import type { ClaimedMessage } from '../domain/message.ts'

/**
 * The W3C trace context in the headers of a message. A malformed one counts as absent, as the W3C recommendation requires:
 * tracing must not make a message undeliverable.
 */
export function traceparentOf({ headers }: ClaimedMessage): string | undefined {
  const parsed = jobFields.traceContext.safeParse(headers['traceparent'])
  return parsed.success ? parsed.data : undefined
}
