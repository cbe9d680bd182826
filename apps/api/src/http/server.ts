import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { limitConnections, serveInOrder } from '@queue/service'
import type { RequestHandler } from 'express'
import {
  headerBytesMax,
  headersReceiveMsMax,
  keepAliveMs,
  lingerMs,
  requestReceiveMsMax,
  unansweredRequestsMax,
} from './limits.ts'
import { Problem } from './problem.ts'
import type { ProblemSlug } from './problem-types.ts'
import { problemBody } from './send.ts'

export interface HttpServerOptions {
  /** Beyond this, a new connection replaces the one that has been idle for longest. If none is idle, it is refused. */
  readonly connectionsMax: number
}

/** Interval at which Node looks for slow clients, in milliseconds. */
const slowClientSweepMs = 1_000

/** An HTTP server that disconnects slow clients, and answers malformed HTTP with a problem. */
export function createHttpServer(listener: RequestListener, { connectionsMax }: HttpServerOptions): Server {
  const server = createServer(
    {
      headersTimeout: headersReceiveMsMax,
      requestTimeout: requestReceiveMsMax,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: headerBytesMax,
      connectionsCheckingInterval: slowClientSweepMs,
      // The app itself refuses a request without a Host header, as a problem.
      requireHostHeader: false,
    },
    serveInOrder(listener, unansweredRequestsMax),
  )
  limitConnections(server, connectionsMax)
  // An unknown expectation can be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  server.on('clientError', refuse)
  server.on('connect', refuseTunnel)
  return server
}

const problemOfCode: Readonly<Record<string, ProblemSlug>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Answers bytes that cannot be parsed as a request, which the app never sees. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else sendAndClose(socket, new Problem(problemOfCode[error.code ?? ''] ?? 'bad_request'))
}

/** CONNECT asks for a tunnel, which no path can offer. */
function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  sendAndClose(socket, new Problem('method_not_allowed', { headers: { Allow: '' } }))
}

/**
 * Writes a response by hand, outside of the app. Further input is discarded so that the client can read the response. A client
 * that does not close its end in time is disconnected, because it would hold its connection forever.
 */
function sendAndClose(socket: Duplex, problem: Problem): void {
  const text = JSON.stringify(problemBody(problem, ''))
  const head = {
    Connection: 'close',
    'X-Request-Id': randomUUID(),
    'Cache-Control': 'no-store',
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...problem.headers,
  }
  const fields = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  const cut = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(cut))
  socket.on('error', () => socket.destroy()).resume()
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${fields.join('')}\r\n${text}`)
}

/** Once `stopping` is aborted, every response closes its connection, so that a load balancer sends the next one elsewhere. */
export function closeConnections(stopping: AbortSignal): RequestHandler {
  return (_req, res, next) => {
    if (stopping.aborted) res.setHeader('connection', 'close')
    next()
  }
}
