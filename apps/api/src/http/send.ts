import type { Request, RequestHandler, Response } from 'express'
import { instanceLengthMax } from './limits.ts'
import { type Problem, problemTypes } from './problem.ts'

/** What an operation answers. */
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
  readonly text: string
}

/** An answer whose status allows no content. */
export interface EmptyAnswer {
  readonly status: 204 | 304
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that another Express handler writes. */
export interface DelegatedAnswer {
  readonly delegate: RequestHandler
}

const jsonType = 'application/json; charset=utf-8'
const problemType = 'application/problem+json; charset=utf-8'

/** Sends a JSON or text answer, unless the request was answered meanwhile (by its timeout). */
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

/** Sends a problem, unless the request was answered meanwhile. */
export function sendProblem(req: Request, res: Response, problem: Problem): void {
  const text = JSON.stringify(problemBody(problem, instanceOf(req)))
  write(res, { status: problem.status, headers: problem.headers, type: problemType, text })
}

/** The body of an error response (RFC 9457). A 5xx says nothing that could reveal how the server works. */
export function problemBody(problem: Problem, instance: string): Record<string, unknown> {
  const { title } = problemTypes[problem.slug]
  const detail = problem.status >= 500 ? title : problem.message
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

/** The requested path, without its query, which may hold data that must not be logged. */
function instanceOf(req: Request): string {
  const [path = ''] = req.originalUrl.split('?', 1)
  return path.slice(0, instanceLengthMax)
}

interface Written {
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly type: string | undefined
  readonly text: string | undefined
}

function write(res: Response, { status, headers, type, text }: Written): void {
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
  // For HEAD, Node sends the headers and drops the body.
  res.end(text)
}
