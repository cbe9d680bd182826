import { apiUrl } from '../api/client.ts'

/** A request to the API, in the two forms that a person takes away with them. */
export interface ActCode {
  readonly method: 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  /** With its leading slash; of many requests, that of each. */
  readonly path: string | readonly string[]
  readonly body?: unknown
  /** The state that is to be changed; `*`: whatever it is. */
  readonly ifMatch?: string
  /** The same call of the client: `client.pause('mail')`. */
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

/** As a shell takes it, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
