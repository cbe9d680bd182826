import type { RequestHandler } from 'express'

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
