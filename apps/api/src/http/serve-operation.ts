import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { Load } from '../access/admission.ts'
import type { Services, ServicesFor } from '../services.ts'
import { assertAccepted, isRepeated } from './headers.ts'
import { parseJson, readJsonText } from './json-body.ts'
import { bodyBytesMax, bodyValueBytes, turnBodyLengthMin } from './limits.ts'
import { findLongList } from './long-lists.ts'
import type { BodyDescription, Operation, OperationRequest } from './operation.ts'
import { findingsOf, issuesProblem, toIssues } from './problem.ts'
import { assertPermitted } from './principal.ts'
import { parseQuery } from './query.ts'
import { contextOf, type RequestContext } from './request-context.ts'
import { sendAnswer } from './send.ts'

/** The Express handler of one operation. Its errors go to the error handler. */
export function serveOperation(operation: Operation, servicesFor: ServicesFor): RequestHandler {
  const load = loadOf(operation)
  const mediaType = operation.successes.find((success) => success.content)?.content?.mediaType
  return async (req: Request, res: Response, next: NextFunction) => {
    const context = contextOf(res)
    context.route = operation.path
    assertPermitted(operation.permission, context.principal)
    if (mediaType !== undefined && mediaType !== '*/*') assertAccepted(req, mediaType)
    const services = servicesFor(context.principal?.scope)
    if (operation.body !== undefined) services.budgets.bytes.take(context, announcedBytes(req))
    const request = await parseRequest(operation, req, { context, ...services })
    const { id } = req.params
    if (operation.tag === 'Jobs' && typeof id === 'string') context.logFields = { job_id: id }
    const handle = () => operation.handle({ ...request, context }, services)
    const answer = await (load === 'none' ? handle() : services.admission.run(context, load, handle))
    if ('delegate' in answer) {
      // The timeout of the request may have answered it meanwhile.
      if (!res.headersSent) await answer.delegate(req, res, next)
    } else sendAnswer(res, answer)
  }
}

/** Operations for everybody read nothing of the database, unless they say so. */
function loadOf({ load, permission }: Operation): Load | 'none' {
  return load ?? (permission === 'none' ? 'none' : 'light')
}

/** The size of the body; without a Content-Length, the maximum. */
function announcedBytes({ headers }: Request): number {
  return Math.min(Number(headers['content-length'] ?? bodyBytesMax), bodyBytesMax)
}

interface ParseContext extends Pick<Services, 'turns' | 'budgets'> {
  readonly context: RequestContext
}

async function parseRequest(
  operation: Operation,
  req: Request,
  { context, turns, budgets }: ParseContext,
): Promise<Omit<OperationRequest, 'context'>> {
  const { params, query, headers, body } = operation
  const parameters = {
    params: params && parseParams(params, req),
    query: query && parseQueryWith(query, req.url),
    headers: headers && parseHeaders(headers, req),
  }
  if (body === undefined) return { ...parameters, body: undefined }
  const text = await readJsonText(req)
  if (text.length >= turnBodyLengthMin) await turns.take(context)
  const pause = turns.pauses(context)
  const value = parseJson(text, {
    reserve: (values) => budgets.values.take(context, values * bodyValueBytes),
    refusedAs: body.refusedAs,
  })
  await pause()
  return { ...parameters, body: parseBody(body, value) }
}

/** Path parameters are never invalid: an operation answers a value that names nothing with its own 404. */
function parseParams(schema: z.ZodObject, req: Request): unknown {
  return schema.parse(req.params)
}

function parseQueryWith(schema: z.ZodObject, url: string): unknown {
  const values = parseQuery(url)
  const parsed = schema.safeParse(values)
  if (parsed.success) {
    assertStorable(values)
    return parsed.data
  }
  throw issuesProblem('invalid_query', toIssues(findingsOf(parsed.error)))
}

/** No text of the database contains U+0000, and a statement with one fails, so no parameter may, whatever its schema allows. */
function assertStorable(values: Readonly<Record<string, unknown>>): void {
  const issues = Object.entries(values)
    .filter(([, value]) => typeof value === 'string' && value.includes('\0'))
    .map(([name]) => ({ path: `/${name}`, message: 'must not contain U+0000' }))
  if (issues.length > 0) throw issuesProblem('invalid_query', issues)
}

const absent = Object.freeze({})
/** A header that is not a list, so that a repeated one would be ambiguous. */
const singleHeader = 'idempotency-key'

function parseHeaders(schema: z.ZodObject, req: Request): unknown {
  const values: Record<string, unknown> = {}
  let isEmpty = true
  for (const name in schema.shape) {
    const value = req.headers[name]
    if (value === undefined) continue
    values[name] = value
    isEmpty = false
  }
  if (isEmpty) return absent
  if (singleHeader in values && isRepeated(req, singleHeader)) {
    throw issuesProblem('invalid_header', [{ path: `/${singleHeader}`, message: 'must not be repeated' }])
  }
  const parsed = schema.safeParse(values)
  if (parsed.success) return parsed.data
  throw issuesProblem('invalid_header', toIssues(findingsOf(parsed.error)))
}

/** Validates a body. This is the only place that turns the findings of a schema into a 422. */
export function parseBody<Schema extends z.ZodType>(
  { schema, refusedAs = 'invalid_job' }: Pick<BodyDescription<Schema>, 'schema' | 'refusedAs'>,
  value: unknown,
): z.output<Schema> {
  const tooLong = findLongList(schema, value)
  if (tooLong !== undefined) throw issuesProblem(refusedAs, toIssues([tooLong]))
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw issuesProblem(refusedAs, toIssues(findingsOf(parsed.error)))
}
