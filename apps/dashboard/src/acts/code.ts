import { apiUrl } from '../api/client.ts'

/** A request to the API that the user can copy as curl or TypeScript. */
export interface ActCode {
  readonly method: 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** With a leading slash. An array stands for several requests. */
  readonly path: string | readonly string[]
  readonly body?: unknown
  /** The expected ETag; `*` for any state. */
  readonly ifMatch?: string
  /** The call of the client library: `client.pause('mail')`. */
  readonly typescript: string
}

export function asCurl({ method, path, body, ifMatch }: ActCode): string {
  if (typeof path !== 'string')
    return path.map((one) => asCurl({ method, path: one, body, typescript: '' })).join('\n')
  const lines = [
    `curl -X ${method} ${quote(`${apiUrl}${path}`)}`,
    '  -H "Authorization: Bearer $QUEUE_API_KEY"',
  ]
  if (ifMatch !== undefined) lines.push(`  -H ${quote(`If-Match: ${ifMatch}`)}`)
  if (body !== undefined) {
    lines.push("  -H 'Content-Type: application/json'", `  -d ${quote(JSON.stringify(body))}`)
  }
  return lines.join(' \\\n')
}

export function asTypeScript({ typescript }: ActCode): string {
  return `import { createClient } from '@queue/client'

const client = createClient({ baseUrl: '${apiUrl}', token: process.env.QUEUE_API_KEY })
${typescript}
`
}

/** Quotes a text for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
