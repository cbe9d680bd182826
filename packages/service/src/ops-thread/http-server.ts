import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { limitConnections } from '../limit-connections.ts'
import { hostNameOf, isLoopbackHost } from '../loopback.ts'
import { serveInOrder } from '../serve-in-order.ts'
import { type Answer, jsonAnswer, type MainThreadEndpoint } from './protocol.ts'

/** Requests the answer of an endpoint from the main thread. Never rejects. */
export type Ask = (endpoint: MainThreadEndpoint) => Promise<Answer>

const requestTimeoutMs = 10_000
const connectionsMax = 100
const unansweredMax = 32

export interface OpsHttpOptions {
  /** The host on which it listens. */
  readonly host: string
  /** The endpoints that are answered by `ask`. */
  readonly endpoints: readonly MainThreadEndpoint[]
  readonly ask: Ask
}

/**
 * Serves /livez itself, and the other endpoints through `ask`. Slow clients are cut off after 10 s. On a loopback address it
 * answers only requests for loopback names, so that no web page can read it through a name that resolves to this machine.
 */
export function createOpsHttpServer(options: OpsHttpOptions): Server {
  const answer: RequestListener = (request, response) => {
    void answerTo(request, options).then((answered) => send(request, response, answered))
  }
  const server = createServer(serveInOrder(answer, unansweredMax))
  server.headersTimeout = requestTimeoutMs
  server.requestTimeout = requestTimeoutMs
  limitConnections(server, connectionsMax)
  return server
}

async function answerTo(request: IncomingMessage, { host, endpoints, ask }: OpsHttpOptions): Promise<Answer> {
  if (isLoopbackHost(host) && !isLoopbackHost(hostNameOf(request.headers.host ?? host)))
    return jsonAnswer(421, { status: 'foreign_host' })
  const [path = ''] = (request.url ?? '').split(/[?#]/, 1)
  const name = path.slice(1)
  const endpoint = endpoints.find((served) => served === name)
  if (endpoint === undefined && name !== 'livez') return jsonAnswer(404, { status: 'not_found' })
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return jsonAnswer(405, { status: 'method_not_allowed' })
  return endpoint === undefined ? jsonAnswer(200, { status: 'alive' }) : ask(endpoint)
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    'content-length': Buffer.byteLength(answer.body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(answer.status === 405 ? { allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : answer.body)
}
