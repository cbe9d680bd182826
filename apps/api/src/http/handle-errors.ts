import type { Logger } from '@queue/telemetry'
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
import { contextOf } from './request-context.ts'
import { sendProblem } from './send.ts'
import { toProblem } from './to-problem.ts'

/** The last handler: whatever was thrown becomes a problem, and what is our own fault is logged in full. */
export function handleErrors(logger: Logger): ErrorRequestHandler {
  // oxlint-disable-next-line max-params -- Express knows error handlers by their four parameters.
  return (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const problem = toProblem(error)
    if (problem.status >= 500) {
      const { id, route, about } = contextOf(res)
      const fields = {
        request_id: id,
        method: req.method,
        route,
        ...about,
        status: problem.status,
        error: problem.cause ?? problem,
      }
      if (problem.slug === 'internal') logger.error('a request failed', fields)
      else if (problem.slug !== 'not_ready')
        logger.warn(`a request could not be served: ${problem.slug}`, fields)
    }
    if (res.headersSent) res.destroy()
    else sendProblem(req, res, problem)
  }
}
