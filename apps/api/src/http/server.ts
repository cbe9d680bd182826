import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { limitConnections } from '@queue/service'
import type { RequestHandler } from 'express'
import { headerBytesMax, headersReceiveMsMax, keepAliveMs, lingerMs, requestReceiveMsMax } from './limits.ts'
import { Problem, type ProblemSlug } from './problem.ts'
import { problemBody } from './send.ts'

export interface HttpServerOptions {
  /** Beyond this the longest idle connection gives way to a new one; while none is idle, the new one is refused. */
  readonly connectionsMax: number
}

/** How often Node looks for clients that are too slow, in milliseconds. */
const slowClientSweepMs = 1_000

/** An HTTP server that cuts slow clients, and answers malformed HTTP with a problem too. */
export function createHttpServer(listener: RequestListener, { connectionsMax }: HttpServerOptions): Server {
  const server = createServer(
    {
      headersTimeout: headersReceiveMsMax,
      requestTimeout: requestReceiveMsMax,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: headerBytesMax,
      connectionsCheckingInterval: slowClientSweepMs,
      // The app refuses a request without a Host itself, as a problem.
      requireHostHeader: false,
    },
    listener,
  )
  limitConnections(server, connectionsMax)
  // An expectation that we do not know may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  server.on('clientError', refuse)
  server.on('connect', refuseTunnel)
  return server
}

const problemOfCode: Readonly<Record<string, ProblemSlug>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** What could not be read as a request never reaches the app. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else sendAndClose(socket, new Problem(problemOfCode[error.code ?? ''] ?? 'bad_request'))
}

/** CONNECT asks for a tunnel to somewhere else, and names no path that could be looked up. */
function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  sendAndClose(socket, new Problem('method_not_allowed', { headers: { Allow: '' } }))
}

/**
 * The answer outside of the app, written by hand. What the client still sends is thrown away, so that it gets to read
 * the answer; one that does not close its own end in time is cut, for it would hold its connection for ever.
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

/**
 * Once `stopping` is aborted, every answer asks its client to send the next request over a new connection, which a
 * load balancer then takes elsewhere.
 */
export function closeConnections(stopping: AbortSignal): RequestHandler {
  return (_req, res, next) => {
    if (stopping.aborted) res.setHeader('connection', 'close')
    next()
  }
}
