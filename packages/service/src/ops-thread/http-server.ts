import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { jsonAnswer } from './json-answer.ts'
import { type Answer, type AskedPage, askedPages } from './protocol.ts'

/** Asks the main thread for a page. Never rejects. */
export type Ask = (page: AskedPage) => Promise<Answer>

const requestTimeoutMs = 10_000
const connectionsMax = 100

/** Serves /livez itself, and what `ask` brings. Slow clients are cut after 10 s. */
export function createOpsHttpServer(ask: Ask): Server {
  const server = createServer((request, response) => {
    void answer(request, ask).then((page) => send(request, response, page))
  })
  server.headersTimeout = requestTimeoutMs
  server.requestTimeout = requestTimeoutMs
  server.maxConnections = connectionsMax
  return server
}

async function answer(request: IncomingMessage, ask: Ask): Promise<Answer> {
  const name = (request.url ?? '').replace(/[?#].*$/s, '').slice(1)
  const page = askedPages.find((one) => one === name)
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
