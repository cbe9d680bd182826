import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { limitConnections } from '../limit-connections.ts'
import { hostNameOf, isLoopbackHost } from '../loopback.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Answer, AskedPage } from './protocol.ts'

/** Asks the main thread for a page. Never rejects. */
export type Ask = (page: AskedPage) => Promise<Answer>

const requestTimeoutMs = 10_000
const connectionsMax = 100

export interface OpsHttpOptions {
  /** The address it is to listen on. */
  readonly host: string
  /** The pages that `ask` brings. */
  readonly pages: readonly AskedPage[]
  readonly ask: Ask
}

/**
 * Serves /livez itself, and what `ask` brings. Slow clients are cut after 10 s. On a loopback address it answers to
 * loopback names only: no web page may read it by a name that was made to lead here.
 */
export function createOpsHttpServer(options: OpsHttpOptions): Server {
  const server = createServer((request, response) => {
    void answer(request, options).then((page) => send(request, response, page))
  })
  server.headersTimeout = requestTimeoutMs
  server.requestTimeout = requestTimeoutMs
  limitConnections(server, connectionsMax)
  return server
}

async function answer(request: IncomingMessage, { host, pages, ask }: OpsHttpOptions): Promise<Answer> {
  if (isLoopbackHost(host) && !isLoopbackHost(hostNameOf(request.headers.host ?? host)))
    return jsonAnswer(421, { status: 'foreign_host' })
  const [path = ''] = (request.url ?? '').split(/[?#]/, 1)
  const name = path.slice(1)
  const page = pages.find((one) => one === name)
  if (page === undefined && name !== 'livez') return jsonAnswer(404, { status: 'not_found' })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return jsonAnswer(405, { status: 'method_not_allowed' })
  return page === undefined ? jsonAnswer(200, { status: 'alive' }) : ask(page)
}

function send(request: IncomingMessage, response: ServerResponse, page: Answer): void {
  response.writeHead(page.status, {
    'content-type': page.contentType,
    'content-length': Buffer.byteLength(page.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(page.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : page.body)
}
