import { randomUUID } from 'node:crypto'
import type { HttpMetrics, Logger } from '@queue/telemetry'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { ClientOf } from '../trusted-proxies.ts'
import { requestIdLengthMax } from './limits.ts'
import type { Principal } from './principal.ts'
import { Problem } from './problem.ts'
import { sendProblem } from './send.ts'

/** The route of an unknown path, in metrics and in the log. */
const unmatchedRoute = 'unmatched'

/** The state of one request while it is served. */
export class RequestContext {
  readonly id: string
  /** The address of the client, or of the last proxy before the API if it is not trusted; undefined if the connection is closed. */
  readonly client: string | undefined
  /** Arrival of the request, by `performance.now()` in milliseconds. */
  readonly startedAtMs = performance.now()
  /** The path template of the operation, a name of bounded cardinality. */
  route = unmatchedRoute
  /** The sender; undefined until it is authenticated, and for a public operation. */
  principal: Principal | undefined
  /** Ends the request with 504 when it fires. */
  timer: NodeJS.Timeout | undefined
  /** Whether it has waited for a turn of the event loop. */
  hasHadTurn = false
  /** Whether it asks for the health of the process. */
  isProbe = false
  /** Milliseconds that the request only waited for a job because its client asked for that. */
  waitedMs = 0
  /** The log fields that identify the job of the request; empty if there is none, or it is not known yet. */
  logFields: Readonly<Record<string, string>> = {}
  readonly #closeListeners: (() => void)[] = []
  #isClosed = false

  /** The id is the one of the client if it is safe to log and to return, otherwise a new one. */
  constructor(clientId: string | string[] | undefined, client: string | undefined) {
    this.id = isSafeId(clientId) ? clientId : randomUUID()
    this.client = client
  }

  /** Whether the response is sent or the client has disconnected. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * Calls `listener` when the response is sent or the client has disconnected; never if that was before. It is no
   * AbortSignal, because the abort of one for each request took a tenth of the time of a POST /jobs.
   */
  onClose(listener: () => void): void {
    this.#closeListeners.push(listener)
  }

  /** Call it once, when the response is sent or the client has disconnected. */
  close(): void {
    this.#isClosed = true
    for (const listener of this.#closeListeners) listener()
  }
}

const requestIdPattern = /^[\w.:/+=-]+$/

function isSafeId(id: string | string[] | undefined): id is string {
  return typeof id === 'string' && id.length <= requestIdLengthMax && requestIdPattern.test(id)
}

/** The context of the request that `res` belongs to. */
export function contextOf(res: Response): RequestContext {
  const context: unknown = res.locals['context']
  if (context instanceof RequestContext) return context
  throw new Error('the request has no context: observeRequests must be the first handler')
}

export interface ObserveRequestsOptions {
  readonly logger: Logger
  readonly metrics: HttpMetrics
  readonly clientOf: ClientOf
}

/** The logged status of a request whose client disconnected before the response. It is never sent. */
const clientGoneStatus = 499

/**
 * The first handler. It creates the context and the id of each request, and measures its duration without the time that it
 * waited for a job on behalf of its client. Requests are logged only at debug, because a line for each would cost more than
 * serving it.
 */
export function observeRequests({ logger, metrics, clientOf }: ObserveRequestsOptions): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    const context = new RequestContext(req.headers['x-request-id'], clientOf(req))
    res.locals['context'] = context
    res.setHeader('x-request-id', context.id)
    res.once('close', () => {
      clearTimeout(context.timer)
      context.close()
      const seconds = (performance.now() - context.startedAtMs - context.waitedMs) / 1_000
      const status = res.writableFinished ? res.statusCode : clientGoneStatus
      metrics.requestFinished({ method: req.method, route: context.route, status, seconds })
      const { id, route, logFields } = context
      logger.debug('request served', {
        request_id: id,
        method: req.method,
        route,
        ...logFields,
        status,
        seconds,
      })
    })
    next()
  }
}

/**
 * Answers a request that takes too long with 504, or with 408 if the client has not sent all of it. Its work is not undone and
 * may still take effect. A client that does not read its response for as long again is disconnected, because it would hold the
 * connection forever. Streams clear the timer.
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
      // The rest of the request must not be read as the next request.
      sendProblem(req, res, new Problem('request_timeout', { headers: { connection: 'close' } }))
    }, timeoutMs)
    next()
  }
}
