import { PermanentFailure, RetryAfter } from '@queue/executor'
import type { OutgoingResponse } from '../outgoing/outgoing-client.ts'
import { retryAfterMs } from '../outgoing/retry-after.ts'

/** The receiver did not accept the webhook; a later attempt may succeed. */
class DeliveryRefused extends Error {
  override readonly name = 'DeliveryRefused'
}

/**
 * The result of a delivery, decided by the status alone: 2xx is a success. Otherwise throws the error of the attempt: 410 means
 * that the receiver wants no more webhooks, 429 and 503 may say when to retry, and all others are retried by the job's policy.
 */
export function webhookResult({ statusCode, headers }: Pick<OutgoingResponse, 'statusCode' | 'headers'>): {
  readonly status: number
} {
  if (statusCode >= 200 && statusCode < 300) return { status: statusCode }
  const message = `the receiver answered ${statusCode}`
  if (statusCode === 410) throw new PermanentFailure(`${message}: it is gone`)
  if (statusCode >= 300 && statusCode < 400)
    throw new DeliveryRefused(`${message}: redirects are not followed`)
  const waitMs =
    statusCode === 429 || statusCode === 503 ? retryAfterMs(headers['retry-after'], Date.now()) : undefined
  throw waitMs === undefined ? new DeliveryRefused(message) : new RetryAfter(waitMs, message)
}
