import { randomUUID } from 'node:crypto'
import type { HttpMetrics, Logger } from '@queue/telemetry'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { requestIdLengthMax } from './limits.ts'
import type { Principal } from './principal.ts'
import { Problem } from './problem.ts'
import { sendProblem } from './send.ts'

/** The route of a path that no operation has, in metrics and log. */
const unmatchedRoute = 'unmatched'

/** What is known of one request while it is served. */
export class RequestContext {
  readonly id: string
  /** From `performance.now()`, in milliseconds. */
  readonly startedAtMs = performance.now()
  /** The path template of the operation that serves it: the bounded name of what was asked for. */
  route = unmatchedRoute
  /** Who sent it; undefined until that is known, and for a request of a public operation. */
  principal: Principal | undefined
  /** Ends the request with 504 when it fires. */
  timer: NodeJS.Timeout | undefined
  /** Milliseconds of its life in which it only waited, because its client had asked for that. */
  waitedMs = 0
  /** The job that it is about, as lines of the log name one; empty while that is none, or not known. */
  about: Readonly<Record<string, string>> = {}
  #closed: AbortController | undefined
  #isClosed = false

  /** The id is the client's own if that is safe to log and to send back, a fresh one otherwise. */
  constructor(clientId: string | string[] | undefined) {
    this.id = isSafeId(clientId) ? clientId : randomUUID()
  }

  /** Aborted when the answer is sent or the client has gone away. */
  get closed(): AbortSignal {
    if (this.#closed === undefined) {
      this.#closed = new AbortController()
      if (this.#isClosed) this.#closed.abort()
    }
    return this.#closed.signal
  }

  /** To be called once, when the answer is sent or the client has gone away. */
  close(): void {
    this.#isClosed = true
    this.#closed?.abort()
  }
}

const requestIdPattern = /^[\w.:/+=-]+$/

function isSafeId(id: string | string[] | undefined): id is string {
  return typeof id === 'string' && id.length <= requestIdLengthMax && requestIdPattern.test(id)
}

/** The address at the other end of the connection: the client, or the proxy that it came through. */
export function clientOf(req: Request): string | undefined {
  return req.socket.remoteAddress
}

/** The context of the request that `res` answers. */
export function contextOf(res: Response): RequestContext {
  const context: unknown = res.locals['context']
  if (context instanceof RequestContext) return context
  throw new Error('a request has come past the handler that gives it its context')
}

export interface ObserveRequestsOptions {
  readonly logger: Logger
  readonly metrics: HttpMetrics
}

/** The status of a request whose client went away before the answer. No answer of ours has it. */
const clientGoneStatus = 499

/**
 * The first handler of all: gives each request its context and its id, which goes out with the answer, and measures
 * it to its end, without what its client had it wait for a job. Requests are logged at debug only, because a line for each would cost more than serving it.
 */
export function observeRequests({ logger, metrics }: ObserveRequestsOptions): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const context = new RequestContext(req.headers['x-request-id'])
    res.locals['context'] = context
    res.setHeader('x-request-id', context.id)
    res.once('close', () => {
      clearTimeout(context.timer)
      context.close()
      const seconds = (performance.now() - context.startedAtMs - context.waitedMs) / 1_000
      const status = res.writableFinished ? res.statusCode : clientGoneStatus
      metrics.requestFinished({ method: req.method, route: context.route, status, seconds })
      const { id, route, about } = context
      logger.debug('request served', { request_id: id, method: req.method, route, ...about, status, seconds })
    })
    next()
  }
}

/**
 * Answers for a request that takes too long: 504, or 408 when it is the client that has not yet sent all of it.
 * What the request has set going is not undone; it may still take effect. A client that has not taken its answer when
 * the same time has passed once more is cut off, for it would hold a connection and the answer for ever. Streams clear
 * the timer.
 */
export function limitTime(timeoutMs: number): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const context = contextOf(res)
    context.timer = setTimeout(() => {
      if (res.headersSent) {
        context.timer = setTimeout(() => res.destroy(), timeoutMs)
        return
      }
      if (req.complete) {
        sendProblem(req, res, new Problem('timeout'))
        return
      }
      // What is left of the request must not be read as the next one.
      sendProblem(req, res, new Problem('request_timeout', { headers: { connection: 'close' } }))
    }, timeoutMs)
    next()
  }
}
