import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What becomes of one request: its reply is lost after the API has given it, no reply ever comes, or the proxy answers
 * in the place of the API.
 */
type Fate = 'reply_lost' | 'silence' | CannedAnswer

interface CannedAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Proxy {
  readonly url: string
  /** The fates of the requests to come, in their order; those after them pass. */
  readonly fates: Fate[]
  /** The requests so far: method and path, and when they came. */
  readonly requests: { readonly line: string; readonly atMs: number }[]
  /** Request headers that are taken away, as some proxies do. */
  readonly removedHeaders: Set<string>
  close(): Promise<void>
}

/** Headers that are about one connection, or about a body as it was on one. */
const ofOneConnection = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'content-encoding',
  'transfer-encoding',
]

/** Stands between a client and the API at `target`. */
export async function startProxy(target: string): Promise<Proxy> {
  const fates: Fate[] = []
  const requests: Proxy['requests'] = []
  const removedHeaders = new Set<string>()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    requests.push({ line: `${method} ${url}`, atMs: performance.now() })
    const fate = fates.shift()
    if (fate === 'silence') return
    if (typeof fate === 'object') {
      response.writeHead(fate.status, fate.headers).end(fate.body)
      return
    }
    const headers = withoutOthers(Object.entries(request.headers as Record<string, string>), removedHeaders)
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const answer = await fetch(`${target}${url}`, { method, headers, ...body })
    const text = await answer.text()
    if (fate === 'reply_lost') response.destroy()
    else response.writeHead(answer.status, withoutOthers([...answer.headers])).end(text)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fates,
    requests,
    removedHeaders,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function withoutOthers(
  headers: readonly [string, string][],
  removed: ReadonlySet<string> = new Set(),
): Record<string, string> {
  return Object.fromEntries(headers.filter(([name]) => !ofOneConnection.includes(name) && !removed.has(name)))
}
