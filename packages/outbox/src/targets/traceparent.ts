import { jobFields } from '@queue/core/fields'
import type { ClaimedMessage } from '../domain/message.ts'

/**
 * The W3C trace context that a message carries in its headers. One that is malformed counts as absent, as the
 * recommendation asks for: a message must not become undeliverable by the way it was traced.
 */
export function traceparentOf({ headers }: ClaimedMessage): string | undefined {
  const parsed = jobFields.traceContext.safeParse(headers['traceparent'])
  return parsed.success ? parsed.data : undefined
}
