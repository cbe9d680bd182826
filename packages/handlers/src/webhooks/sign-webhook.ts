import { createHmac } from 'node:crypto'

export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** The body as it is sent. */
  readonly body: string
}

/**
 * The `webhook-signature` header of Standard Webhooks: for each secret `v1,` and the base64 of HMAC-SHA256 over
 * `id.timestamp.body`, separated by spaces. A receiver accepts a message if one signature matches a secret that it knows.
 */
export function signWebhook({ id, timestamp, body }: SignedMessage, secrets: readonly Buffer[]): string {
  const content = `${id}.${timestamp}.${body}`
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`)
    .join(' ')
}
