import type { Request, RequestHandler, Response } from 'express'
import { instanceLengthMax } from './limits.ts'
import type { Problem } from './problem.ts'
import { problemTypes } from './problem-types.ts'

/** The response of an operation. */
export type Answer = JsonAnswer | TextAnswer | EmptyAnswer | DelegatedAnswer

export interface JsonAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json: unknown
}

export interface TextAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType: string
  /** A large text that many may request is encoded once, so that all responses share its bytes. */
  readonly text: string | Buffer
}

/** A response whose status allows no content. */
export interface EmptyAnswer {
  readonly status: 204 | 304
  readonly headers?: Readonly<Record<string, string>>
}

/** A response that another Express handler writes. */
export interface DelegatedAnswer {
  readonly delegate: RequestHandler
}

const jsonType = 'application/json; charset=utf-8'
const problemType = 'application/problem+json; charset=utf-8'

/** Sends a response, unless the request was already answered, for example by its timeout. */
export function sendAnswer(res: Response, answer: JsonAnswer | TextAnswer | EmptyAnswer): void {
  if ('json' in answer) {
    write(res, {
      status: answer.status,
      headers: answer.headers,
      type: jsonType,
      text: JSON.stringify(answer.json),
    })
  } else if ('text' in answer) {
    write(res, {
      status: answer.status,
      headers: answer.headers,
      type: answer.contentType,
      text: answer.text,
    })
  } else {
    write(res, { status: answer.status, headers: answer.headers, type: undefined, text: undefined })
  }
}

/** Sends a problem, unless the request was already answered. */
export function sendProblem(req: Request, res: Response, problem: Problem): void {
  const text = JSON.stringify(problemBody(problem, instanceOf(req)))
  write(res, { status: problem.status, headers: problem.headers, type: problemType, text })
}

/** The body of an error response (RFC 9457). A 5xx has only the general detail, which reveals nothing about the server. */
export function problemBody(problem: Problem, instance: string): Record<string, unknown> {
  const { title, detail: generalDetail } = problemTypes[problem.slug]
  const detail = problem.status >= 500 ? generalDetail : problem.message
  return {
    type: `urn:queue:problem:${problem.slug}`,
    title,
    status: problem.status,
    detail,
    instance,
    error: problem.slug,
    message: detail,
    ...(problem.issues === undefined ? {} : { issues: problem.issues }),
    ...problem.members,
  }
}

/** The path of the request, without its query, which can contain data that must not be logged. */
function instanceOf(req: Request): string {
  const [path = ''] = req.originalUrl.split('?', 1)
  return path.slice(0, instanceLengthMax)
}

interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly type: string | undefined
  readonly text: string | Buffer | undefined
}

function write(res: Response, { status, headers, type, text }: RawResponse): void {
  if (res.headersSent || res.destroyed) return
  res.statusCode = status
  res.setHeader('cache-control', 'no-store')
  for (const name in headers) res.setHeader(name, headers[name] ?? '')
  if (text === undefined || type === undefined) {
    res.end()
    return
  }
  res.setHeader('content-type', type)
  res.setHeader('content-length', Buffer.byteLength(text))
  // For HEAD, Node sends only the headers.
  res.end(text)
}
