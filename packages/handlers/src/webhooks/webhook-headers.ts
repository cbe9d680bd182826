import { PermanentFailure } from '@queue/executor'

/** Fields that decide where a message goes, where it ends, or that belong to one connection (RFC 9110, RFC 9112). */
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

/** More than this no common server takes. */
const headerBytesMax = 8_192

/**
 * The header fields of a payload, their names in lower case. Throws `PermanentFailure` for a field that is not the payload's to
 * set: what signs and identifies a webhook (`webhook-*`), Host, and what frames the message or controls its connection.
 */
export function checkPayloadHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const checked: Record<string, string> = {}
  let bytes = 0
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase()
    const fault = faultOf(name, value) ?? (Object.hasOwn(checked, name) ? 'is given twice' : undefined)
    if (fault !== undefined) throw new PermanentFailure(`the header ${JSON.stringify(given)} ${fault}`)
    checked[name] = value
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  if (bytes > headerBytesMax) throw new PermanentFailure(`the headers have more than ${headerBytesMax} bytes`)
  return checked
}

function faultOf(name: string, value: string): string | undefined {
  if (name.startsWith('webhook-') || reserved.has(name)) return 'is not for a payload to set'
  // What HTTP can carry: visible characters of one byte, blanks and tabs.
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? undefined : 'has a character that HTTP cannot carry'
}
