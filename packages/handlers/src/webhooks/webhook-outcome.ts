import { PermanentFailure, RetryAfter } from '@queue/executor'
import type { OutgoingResponse } from '../outgoing/outgoing-client.ts'
import { retryAfterMs } from '../outgoing/retry-after.ts'

/** The receiver did not take the webhook; a later attempt may succeed. */
class DeliveryRefused extends Error {
  override readonly name = 'DeliveryRefused'
}

/**
 * The result of a delivery, by the status alone: 2xx is done. Throws what the attempt fails with: 410 says that the receiver
 * wants no more, 429 and 503 may say when to come again, and everything else is retried by the job's policy.
 */
export function webhookResult({ statusCode, headers }: Pick<OutgoingResponse, 'statusCode' | 'headers'>): {
  readonly status: number
} {
  if (statusCode >= 200 && statusCode < 300) return { status: statusCode }
  const said = `the receiver answered ${statusCode}`
  if (statusCode === 410) throw new PermanentFailure(`${said}: it is gone`)
  if (statusCode >= 300 && statusCode < 400) throw new DeliveryRefused(`${said}: redirects are not followed`)
  const waitMs =
    statusCode === 429 || statusCode === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : undefined
  throw waitMs === undefined ? new DeliveryRefused(said) : new RetryAfter(waitMs, said)
}
