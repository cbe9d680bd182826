import type { HttpMetrics, Logger } from '@queue/telemetry'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { RequestContext } from './request-context.ts'

export interface ObserveRequestsOptions {
  readonly logger: Logger
  readonly metrics: HttpMetrics
}

/** What a request counts as whose client went away before the answer. No answer of ours has this status. */
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
