import { createHmac } from 'node:crypto'
import { PermanentFailure } from '@queue/executor'

/** Header fields that route or frame a message, or that control a connection (RFC 9110, RFC 9112). */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** No common server accepts more. */
const headerBytesMax = 8_192

/**
 * The header fields of a payload, with their names in lower case. Throws `PermanentFailure` for a field that a payload must not
 * set: fields that sign and identify a webhook (`webhook-*`), Host, and fields that frame the message or control its connection.
 */
export function checkPayloadHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const checked: Record<string, string> = {}
  let bytes = 0
  for (const [rawName, value] of Object.entries(headers)) {
    const name = rawName.toLowerCase()
    const fault = faultOf(name, value) ?? (Object.hasOwn(checked, name) ? 'is present twice' : undefined)
    if (fault !== undefined) throw new PermanentFailure(`the header ${JSON.stringify(rawName)} ${fault}`)
    checked[name] = value
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  if (bytes > headerBytesMax) throw new PermanentFailure(`the headers have more than ${headerBytesMax} bytes`)
  return checked
}

function faultOf(name: string, value: string): string | undefined {
  if (name.startsWith('webhook-') || reserved.has(name)) return 'must not be set by a payload'
  // The characters that HTTP allows in a field: visible characters of one byte, blanks and tabs.
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'has a character that HTTP does not allow'
}

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
