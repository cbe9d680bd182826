import { STATUS_CODES } from 'node:http'
import type { z } from 'zod'
import { problemTypes } from '../../src/http/problem-types.ts'
import type { WireDeadLetter } from '../../src/wire/dead-letter.ts'
import type { WireExecution } from '../../src/wire/execution.ts'
import type { WireJob } from '../../src/wire/job.ts'
import type { WireKey } from '../../src/wire/key.ts'
import type { queueSchema } from '../../src/wire/queue.ts'
import type { WireWorker } from '../../src/wire/worker.ts'
import { faultsBySchema, findOperation, type FoundOperation, pointerTo } from './document.ts'

/** The members of any body that the API answers. */
export type Body = Partial<Omit<WireJob & WireDeadLetter, 'status'>> & {
  readonly status?: string | number
  readonly data?: readonly Listed[]
  readonly next_cursor?: string | null
  readonly replayed?: readonly number[]
  readonly count?: number
  readonly job_ids?: readonly string[]
  readonly more?: boolean
  readonly dry_run?: boolean
  readonly name?: string
  readonly paused_at?: string | null
  readonly type?: string
  readonly title?: string
  readonly detail?: string
  readonly instance?: string
  readonly error?: string
  readonly message?: string
  readonly issues?: readonly { readonly path: string; readonly message: string }[]
  readonly job_status?: string
  readonly checks?: Readonly<Record<string, string>>
  readonly uptime_seconds?: number
}

/** The members of an item of any list. */
type Listed = WireJob &
  WireExecution &
  WireDeadLetter &
  WireWorker &
  Pick<WireKey, 'role' | 'revoked_at'> &
  z.output<typeof queueSchema>

export interface CheckedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Empty unless the answer is JSON. */
  readonly body: Body
}

/**
 * `fetch`, with every answer held against the committed document: its status, its headers, its media type and its
 * body must be documented for the operation. What is for no operation must be a 401, 403, 404, 405, 421 or 429.
 */
export async function checkedFetch(
  base: string,
  path: string,
  init: RequestInit = {},
): Promise<CheckedResponse> {
  const response = await fetch(base + path, init)
  const text = await response.text()
  const type = mediaType(response)
  const checked: CheckedResponse = {
    status: response.status,
    headers: response.headers,
    text,
    body: type.endsWith('json') && text !== '' ? (JSON.parse(text) as Body) : {},
  }
  const method = init.method ?? 'GET'
  const faults = faultsOf({ method, path: new URL(base + path).pathname, type }, checked)
  if (faults.length > 0) {
    throw new Error(
      `${method} ${path} answered ${response.status}, against its document:\n${faults.join('\n')}\n${text}`,
    )
  }
  return checked
}

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly type: string
}

function faultsOf(request: SentRequest, answer: CheckedResponse): string[] {
  const shape = answer.status >= 400 ? problemFaults(request, answer) : []
  const found = findOperation(request.method, request.path)
  if (found === undefined) return [...shape, ...unknownFaults(request, answer)]
  return [...shape, ...documentedFaults(found, { request, answer })]
}

/** The detail of every 5xx: that of its problem type, which reveals nothing about the request. */
function generalDetailOf(error: string | undefined): string | undefined {
  return Object.entries(problemTypes).find(([slug]) => slug === error)?.[1].detail
}

/** What holds of every problem and what a schema cannot say. */
function problemFaults(request: SentRequest, { status, body, text, headers }: CheckedResponse): string[] {
  if (request.method === 'HEAD') return []
  const faults: string[] = []
  if (request.type !== 'application/problem+json') faults.push(`an error of the type ${request.type}`)
  if (body.status !== status) faults.push(`the body says ${body.status}`)
  if (body.type !== `urn:queue:problem:${body.error}`)
    faults.push(`the type ${body.type} of the error ${body.error}`)
  if (body.message !== body.detail) faults.push('message and detail differ')
  if (status === 503 && headers.get('retry-after') === null) faults.push('no Retry-After')
  if (status >= 500 && body.detail !== generalDetailOf(body.error))
    faults.push('a 5xx with a detail of its own')
  if (/\bat .*:\d+:\d+|\bselect\b|\binsert\b|node_modules|127\.0\.0\.1/i.test(text))
    faults.push('it reveals internals')
  return faults
}

function unknownFaults(request: SentRequest, { status, body, headers }: CheckedResponse): string[] {
  if (![400, 401, 403, 404, 405, 421, 429, 431, 504].includes(status))
    return [`undocumented: ${request.method} ${request.path}`]
  if (status === 405 && headers.get('allow') === null) return ['no Allow']
  return request.method === 'HEAD' ? [] : faultsBySchema('/components/schemas/Problem', body)
}

function documentedFaults(
  { path, method, operation }: FoundOperation,
  { request, answer }: { readonly request: SentRequest; readonly answer: CheckedResponse },
): string[] {
  const status = String(answer.status)
  const documented = operation.responses[status]
  if (documented === undefined) return [`undocumented status ${status} ${STATUS_CODES[status]}`]
  const faults = headerFaults(Object.keys(documented.headers ?? {}), answer.headers)
  const content = documented.content?.[request.type] ?? documented.content?.['*/*']
  if (documented.content === undefined)
    return answer.text === '' ? faults : [...faults, 'content where none is documented']
  if (content === undefined) return [...faults, `undocumented media type ${request.type}`]
  if (request.method === 'HEAD' || !request.type.endsWith('json')) return faults
  const documentedType = request.type in documented.content ? request.type : '*/*'
  const pointer = pointerTo('paths', path, method, 'responses', status, 'content', documentedType, 'schema')
  return [...faults, ...faultsBySchema(pointer, answer.body)]
}

/** What any answer may have, whatever it answers: of the connection, the content, the key, and for browsers. */
const ofAnyAnswer = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'origin-agent-cluster',
  'ratelimit',
  'ratelimit-policy',
  'referrer-policy',
  'strict-transport-security',
  'transfer-encoding',
  'x-accel-buffering',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
])

function headerFaults(documented: readonly string[], headers: Headers): string[] {
  const names = new Set(documented.map((name) => name.toLowerCase()))
  const faults = [...headers.keys()]
    .filter((name) => !ofAnyAnswer.has(name) && !names.has(name))
    .map((name) => `undocumented header ${name}`)
  return headers.has('x-request-id') ? faults : [...faults, 'no X-Request-Id']
}

function mediaType(response: Response): string {
  return response.headers.get('content-type')?.split(';', 1)[0] ?? ''
}
