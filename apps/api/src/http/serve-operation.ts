import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { ServicesFor } from '../services.ts'
import { assertAccepted, isRepeated } from './headers.ts'
import { parseJson, readJsonText } from './json-body.ts'
import { bodyBytesMax } from './limits.ts'
import type { BodyDescription, Operation, OperationRequest } from './operation.ts'
import { findingsOf, issuesProblem, toIssues } from './problem.ts'
import { assertPermitted } from './principal.ts'
import { parseQuery } from './query.ts'
import { contextOf } from './request-context.ts'
import { sendAnswer } from './send.ts'

/** The Express handler of one operation. What it throws goes to the error handler. */
export function serveOperation(operation: Operation, servicesFor: ServicesFor): RequestHandler {
  const mediaType = operation.successes.find((success) => success.content)?.content?.mediaType
  return async (req: Request, res: Response, next: NextFunction) => {
    const context = contextOf(res)
    context.route = operation.path
    assertPermitted(operation.permission, context.principal)
    if (mediaType !== undefined && mediaType !== '*/*') assertAccepted(req, mediaType)
    const services = servicesFor(context.principal?.scope)
    if (operation.body !== undefined) services.budgets.bytes.take(context, announcedBytes(req))
    const request = await parseRequest(operation, req)
    const { id } = req.params
    if (operation.tag === 'Jobs' && typeof id === 'string') context.about = { job_id: id }
    const answer = await operation.handle({ ...request, context }, services)
    if ('delegate' in answer) {
      // The request may have been answered meanwhile, by its timeout.
      if (!res.headersSent) await answer.delegate(req, res, next)
    } else sendAnswer(res, answer)
  }
}

/** A body that does not say how long it is may be as long as any. */
function announcedBytes({ headers }: Request): number {
  return Math.min(Number(headers['content-length'] ?? bodyBytesMax), bodyBytesMax)
}

async function parseRequest(operation: Operation, req: Request): Promise<Omit<OperationRequest, 'context'>> {
  return {
    params: operation.params && parseParams(operation.params, req),
    query: operation.query && parseQueryWith(operation.query, req.url),
    headers: operation.headers && parseHeaders(operation.headers, req),
    body: operation.body && parseBody(operation.body, parseJson(await readJsonText(req))),
    raw: req,
  }
}

/** A parameter that its schema refuses names nothing that exists; operations say themselves what that is. */
function parseParams(schema: z.ZodObject, req: Request): unknown {
  return schema.parse(req.params)
}

function parseQueryWith(schema: z.ZodObject, url: string): unknown {
  const parsed = schema.safeParse(parseQuery(url))
  if (parsed.success) return parsed.data
  throw issuesProblem('invalid_query', toIssues(findingsOf(parsed.error)))
}

const absent = Object.freeze({})
/** A header that is not a list, and of which two would leave open which one was meant. */
const singleHeader = 'idempotency-key'

function parseHeaders(schema: z.ZodObject, req: Request): unknown {
  const given: Record<string, unknown> = {}
  let some = false
  for (const name in schema.shape) {
    const value = req.headers[name]
    if (value === undefined) continue
    given[name] = value
    some = true
  }
  if (!some) return absent
  if (singleHeader in given && isRepeated(req, singleHeader)) {
    throw issuesProblem('invalid_header', [{ path: `/${singleHeader}`, message: 'is given more than once' }])
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw issuesProblem('invalid_header', toIssues(findingsOf(parsed.error)))
}

/** The only place where what a schema says of a body becomes a 422. */
export function parseBody<Schema extends z.ZodType>(
  { schema, refusedAs = 'invalid_job' }: Pick<BodyDescription<Schema>, 'schema' | 'refusedAs'>,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw issuesProblem(refusedAs, toIssues(findingsOf(parsed.error)))
}
