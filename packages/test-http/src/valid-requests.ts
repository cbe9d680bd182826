import fc from 'fast-check'
import type { DocumentedOperation } from './document.ts'
import { validValues } from './valid-values.ts'

/** One request, by the document: what stands in its path, its query, its headers and its body. */
export interface ValidRequest {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly header: Readonly<Record<string, unknown>>
  readonly body: unknown
}

export function bodySchema({ requestBody }: DocumentedOperation): object | undefined {
  return requestBody?.content['application/json'].schema
}

/** What may be in a field of HTTP at all, however little its schema says (RFC 9110, section 5.5). */
const fieldPattern = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/
/** Whose the request is, as its credential says. */
const tenantHeader = 'queue-tenant'
/** Without them a path is another one, or none. */
const isInPath = (value: unknown): boolean => !['', '.', '..'].includes(String(value).toWellFormed())

/** Requests that the document allows. Of the parts that `isDrawn` rejects, they have only what is required. */
export function requestsOf(
  operation: DocumentedOperation,
  isDrawn: (where: string) => boolean = () => true,
): fc.Arbitrary<ValidRequest> {
  const part = (where: string) => {
    const parameters = operation.parameters.filter(
      ({ in: place, name, required }) =>
        place === where && (isDrawn(where) || required === true) && name !== tenantHeader,
    )
    const members = parameters.map(({ name, schema = {} }) => {
      if (where === 'header') {
        const isField = (value: unknown): boolean => fieldPattern.test(String(value))
        return [name, validValues(schema).filter(isField)] as const
      }
      return [name, where === 'path' ? validValues(schema).filter(isInPath) : validValues(schema)] as const
    })
    const required = parameters.filter((one) => where === 'path' || one.required === true)
    const requiredKeys = required.map(({ name }) => name)
    return fc.record(Object.fromEntries(members), { requiredKeys })
  }
  const body = bodySchema(operation)
  return fc.record({
    path: part('path'),
    query: part('query'),
    header: part('header'),
    body: body === undefined ? fc.constant(undefined) : validValues(body),
  })
}

/** Some of these requests, which the seed repeats. */
export function sampleRequests(
  operation: DocumentedOperation,
  { seed, count }: { readonly seed: number; readonly count: number },
): ValidRequest[] {
  return fc.sample(requestsOf(operation), { seed, numRuns: count })
}

/** A request as `fetch` takes it, with the target on the server. */
export interface EncodedRequest {
  readonly target: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
}

export function encodeRequest(template: string, method: string, request: ValidRequest): EncodedRequest {
  const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(request.path[name]).toWellFormed()),
  )
  const query = new URLSearchParams(
    Object.entries(request.query).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([member, one]) => [`${name}[${member}]`, String(one)])
        : [[name, String(value)]],
    ),
  ).toString()
  const headers: Record<string, string> =
    request.body === undefined ? {} : { 'content-type': 'application/json' }
  for (const [name, value] of Object.entries(request.header)) headers[name] = String(value)
  return {
    target: query === '' ? path : `${path}?${query}`,
    method,
    headers,
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  }
}
