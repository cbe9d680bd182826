import { InvalidInput, InvalidTransition, QueueError } from '@queue/core'
import { isContention } from '@queue/postgres'
import type { Logger } from '@queue/telemetry'
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
import { issuesProblem, Problem, toIssues } from './problem.ts'
import { contextOf } from './request-context.ts'
import { sendProblem } from './send.ts'

/** The last handler: every error becomes a problem, and our own faults are logged in full. */
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

/**
 * How an error of any origin is said over HTTP. The queue's refusals keep their code; what stood in the way
 * of another transaction (a trigger of the database's owner may lock whatever it likes) is a 503; Express's own
 * complaints about a malformed request are a 400; everything else, a ZodError included, is a fault of ours: 500.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InvalidInput) return invalidInput(error)
  if (error instanceof InvalidTransition) {
    return new Problem('invalid_transition', {
      detail: error.message,
      members: { job_status: error.status },
      cause: error,
    })
  }
  if (isContention(error)) return new Problem('database_unavailable', { cause: error })
  if (error instanceof QueueError) return new Problem(error.code, { detail: error.message, cause: error })
  if (isUndecodablePath(error)) {
    return new Problem('bad_request', { detail: 'the path holds a malformed percent-encoding', cause: error })
  }
  return new Problem('internal', { cause: error })
}

function invalidInput(error: InvalidInput): Problem {
  const issues = toIssues(error.issues.map((issue) => ({ ...issue, path: wirePath(issue.path) })))
  return issuesProblem(error.code, issues, error)
}

/** The queue names options in camelCase; what is inside a payload is the caller's own naming. */
function wirePath(path: readonly (string | number)[]): readonly (string | number)[] {
  const payloadAt = path.indexOf('payload')
  const ours = payloadAt === -1 ? path : path.slice(0, payloadAt)
  const named = ours.map((part) => (typeof part === 'string' ? toSnakeCase(part) : part))
  return [...named, ...path.slice(ours.length)]
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Express decodes path parameters, and marks what it cannot decode as a client's error. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError && 'status' in error && error.status === 400
}
