import { InvalidInput, InvalidTransition, QueueError } from '@queue/core'
import { InvalidDocument } from '@queue/core/internal'
import { toSnakeCase } from '@queue/core/plain'
import { isContention } from '@queue/postgres'
import { type LogFields, limitLines, type Logger } from '@queue/telemetry'
import type { ErrorRequestHandler, NextFunction, Request, Response } from 'express'
import { goOnInTurn, type LoopTurns } from '../access/loop-turns.ts'
import type { RefusalPace } from '../access/refusal-pace.ts'
import { issuesProblem, Problem, toIssues } from './problem.ts'
import type { ProblemSlug } from './problem-types.ts'
import { unservedLinesPerMinuteMax } from './limits.ts'
import { contextOf } from './request-context.ts'
import { sendProblem } from './send.ts'

export interface HandleErrorsOptions {
  readonly logger: Logger
  readonly refusals: RefusalPace
  /** What is refused before its sender is known takes turns too. */
  readonly turns: Pick<LoopTurns, 'take'>
}

/**
 * The last handler. It turns every error into a problem response. It logs internal errors in full, and a bounded number of the
 * requests that could not be served: an outage has one for each request.
 */
export function handleErrors({ logger, refusals, turns }: HandleErrorsOptions): ErrorRequestHandler {
  const warn = warnOfUnserved(logger)
  // oxlint-disable-next-line max-params -- Express knows error handlers by their four parameters.
  return (error: unknown, req: Request, res: Response, _next: NextFunction) => {
    const problem = toProblem(error)
    if (problem.status >= 500) {
      const { id, route, logFields } = contextOf(res)
      const fields = {
        request_id: id,
        method: req.method,
        route,
        ...logFields,
        status: problem.status,
        error: problem.cause ?? problem,
      }
      if (problem.slug === 'internal') logger.error('a request failed', fields)
      else if (problem.slug !== 'not_ready') warn(problem.slug, fields)
    }
    if (res.headersSent) {
      res.destroy()
      return
    }
    const context = contextOf(res)
    if (context.principal === undefined && !context.hasHadTurn)
      return void goOnInTurn(turns, context, () => sendProblem(req, res, problem))
    const delayMs = refusals.delayMs(context.principal, problem.status)
    if (delayMs === 0) sendProblem(req, res, problem)
    else sendLater({ req, res, problem }, delayMs)
  }
}

/** Warns of each problem at a bounded rate, so that a frequent one does not hide a rare one. */
function warnOfUnserved(logger: Logger): (slug: ProblemSlug, fields: LogFields) => void {
  const warnings = new Map<ProblemSlug, (fields: LogFields) => void>()
  return (slug, fields) => {
    const warn =
      warnings.get(slug) ??
      limitLines((limited) => logger.warn(`a request could not be served: ${slug}`, limited), {
        linesMax: unservedLinesPerMinuteMax,
      })
    warnings.set(slug, warn)
    warn(fields)
  }
}

interface RefusedRequest {
  readonly req: Request
  readonly res: Response
  readonly problem: Problem
}

function sendLater({ req, res, problem }: RefusedRequest, delayMs: number): void {
  const timer = setTimeout(() => sendProblem(req, res, problem), delayMs)
  contextOf(res).onClose(() => clearTimeout(timer))
}

/**
 * Maps any error to a problem. Errors of the queue keep their code. Contention with another transaction (a trigger of the
 * database owner can lock anything) is a 503. A path that Express cannot decode is a 400. Everything else, including a
 * ZodError, is a bug of the server: 500.
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
    return new Problem('bad_request', { detail: 'the path has a malformed percent-encoding', cause: error })
  }
  return new Problem('internal', { cause: error })
}

function invalidInput(error: InvalidInput): Problem {
  const isOfDocument = error instanceof InvalidDocument
  const found = isOfDocument
    ? error.issues
    : error.issues.map((issue) => ({ ...issue, path: wirePath(issue.path) }))
  return issuesProblem(error.code, toIssues(found), error)
}

/**
 * Options of the queue have camelCase names, the wire snake_case. Members inside a payload or metadata keep the names of the
 * caller.
 */
function wirePath(path: readonly (string | number)[]): readonly (string | number)[] {
  const callersAt = path.findIndex((part) => part === 'payload' || part === 'metadata')
  return path.map((part, index) => {
    const isOurs = callersAt === -1 || index < callersAt
    return isOurs && typeof part === 'string' ? toSnakeCase(part) : part
  })
}

/** Express decodes path parameters, and throws a URIError with status 400 if it cannot. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError && 'status' in error && error.status === 400
}
