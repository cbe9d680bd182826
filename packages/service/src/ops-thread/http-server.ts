import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { limitConnections } from '../limit-connections.ts'
import { hostNameOf, isLoopbackHost } from '../loopback.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Answer, MainThreadEndpoint } from './protocol.ts'

/** Asks the main thread for an endpoint. Never rejects. */
export type Ask = (endpoint: MainThreadEndpoint) => Promise<Answer>

const requestTimeoutMs = 10_000
const connectionsMax = 100

export interface OpsHttpOptions {
  /** The address it is to listen on. */
  readonly host: string
  /** The endpoints that `ask` brings. */
  readonly endpoints: readonly MainThreadEndpoint[]
  readonly ask: Ask
}

/**
 * Serves /livez itself, and what `ask` brings. Slow clients are cut after 10 s. On a loopback address it answers to
 * loopback names only: no web page may read it by a name that was made to lead here.
 */
export function createOpsHttpServer(options: OpsHttpOptions): Server {
  const server = createServer((request, response) => {
    void answer(request, options).then((answered) => send(request, response, answered))
  })
  server.headersTimeout = requestTimeoutMs
  server.requestTimeout = requestTimeoutMs
  limitConnections(server, connectionsMax)
  return server
}

async function answer(request: IncomingMessage, { host, endpoints, ask }: OpsHttpOptions): Promise<Answer> {
  if (isLoopbackHost(host) && !isLoopbackHost(hostNameOf(request.headers.host ?? host)))
    return jsonAnswer(421, { status: 'foreign_host' })
  const [path = ''] = (request.url ?? '').split(/[?#]/, 1)
  const name = path.slice(1)
  const endpoint = endpoints.find((one) => one === name)
  if (endpoint === undefined && name !== 'livez') return jsonAnswer(404, { status: 'not_found' })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return jsonAnswer(405, { status: 'method_not_allowed' })
  return endpoint === undefined ? jsonAnswer(200, { status: 'alive' }) : ask(endpoint)
}

function send(request: IncomingMessage, response: ServerResponse, answered: Answer): void {
  response.writeHead(answered.status, {
    'content-type': answered.contentType,
    'content-length': Buffer.byteLength(answered.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(answered.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : answered.body)
}
