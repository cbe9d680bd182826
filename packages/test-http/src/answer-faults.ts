import { STATUS_CODES } from 'node:http'
import { document, faultsBySchema, findOperation, type FoundOperation, pointerTo } from './document.ts'

/** What of a request decides how it may be answered. */
export interface SentRequest {
  readonly method: string
  /** Without its query. */
  readonly path: string
}

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

interface ParsedAnswer extends ReceivedAnswer {
  readonly type: string
  /** An empty object unless the answer is JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The body of an answer; an empty object unless it is JSON. */
export function bodyOf({ headers, text }: Pick<ReceivedAnswer, 'headers' | 'text'>): ParsedAnswer['body'] {
  const isJson = mediaType(headers).endsWith('json') && text !== ''
  return isJson ? (JSON.parse(text) as ParsedAnswer['body']) : {}
}

/**
 * What is wrong with an answer by the document: its status, its headers, its media type and its body must be documented for
 * the operation. What is for no operation must be a refusal of the server itself.
 */
export function answerFaults(request: SentRequest, received: ReceivedAnswer): string[] {
  const answer = { ...received, type: mediaType(received.headers), body: bodyOf(received) }
  const shape = answer.status >= 400 ? problemFaults(request, answer) : []
  const found = findOperation(request.method, request.path)
  if (found === undefined) return [...shape, ...unknownFaults(request, answer)]
  return [...shape, ...documentedFaults(found, { request, answer })]
}

/** The detail of every 5xx: that of its problem type, which reveals nothing about the request. */
function generalDetailOf(error: unknown): unknown {
  const { value } = document.components.examples[String(error)] ?? {}
  return (value as { readonly detail: string } | undefined)?.detail
}

/** What holds of every problem and what a schema cannot say. */
function problemFaults(
  { method }: SentRequest,
  { status, type, body, text, headers }: ParsedAnswer,
): string[] {
  if (method === 'HEAD') return []
  const faults: string[] = []
  if (type !== 'application/problem+json') faults.push(`an error of the type ${type}`)
  if (body['status'] !== status) faults.push(`the body says ${String(body['status'])}`)
  if (body['type'] !== `urn:queue:problem:${String(body['error'])}`)
    faults.push(`the type ${String(body['type'])} of the error ${String(body['error'])}`)
  if (body['message'] !== body['detail']) faults.push('message and detail differ')
  if (status === 503 && headers.get('retry-after') === null) faults.push('no Retry-After')
  if (status >= 500 && body['detail'] !== generalDetailOf(body['error']))
    faults.push('a 5xx with a detail of its own')
  if (/\bat .*:\d+:\d+|\bselect\b|\binsert\b|node_modules|127\.0\.0\.1/i.test(text))
    faults.push('it reveals internals')
  return faults
}

function unknownFaults({ method, path }: SentRequest, { status, body, headers }: ParsedAnswer): string[] {
  if (![400, 401, 403, 404, 405, 421, 429, 431, 504].includes(status))
    return [`undocumented: ${method} ${path}`]
  if (status === 405 && headers.get('allow') === null) return ['no Allow']
  return method === 'HEAD' ? [] : faultsBySchema('/components/schemas/Problem', body)
}

function documentedFaults(
  { path, method, operation }: FoundOperation,
  { request, answer }: { readonly request: SentRequest; readonly answer: ParsedAnswer },
): string[] {
  const status = String(answer.status)
  const documented = operation.responses[status]
  if (documented === undefined) return [`undocumented status ${status} ${STATUS_CODES[status]}`]
  const faults = headerFaults(Object.keys(documented.headers ?? {}), answer.headers)
  const content = documented.content?.[answer.type] ?? documented.content?.['*/*']
  if (documented.content === undefined)
    return answer.text === '' ? faults : [...faults, 'content where none is documented']
  if (content === undefined) return [...faults, `undocumented media type ${answer.type}`]
  if (request.method === 'HEAD' || !answer.type.endsWith('json')) return faults
  const documentedType = answer.type in documented.content ? answer.type : '*/*'
  // What several operations share is compiled once.
  const { $ref } = { ...content.schema } as { readonly $ref?: string }
  const pointer =
    $ref?.slice(1) ??
    pointerTo('paths', path, method, 'responses', status, 'content', documentedType, 'schema')
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

function mediaType(headers: Headers): string {
  return headers.get('content-type')?.split(';', 1)[0] ?? ''
}
