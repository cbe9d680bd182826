import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { Problem } from './problem.ts'
import { contextOf } from './request-context.ts'
import { sendProblem } from './send.ts'

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
