import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { CheckedResponse } from './support/checked-fetch.ts'
import { document, type DocumentedOperation, faultsBySchema, pointerTo } from './support/document.ts'
import { rulesBeyondSchema } from './support/rules-beyond-schema.ts'
import { testScale } from './support/scale.ts'
import { type DatabaseApi, startDatabaseApi } from './support/start-api.ts'
import { validValues } from './support/valid-values.ts'

const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const leastRequestsEach = 3
let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

/** One request, by the document: what stands in its path, its query, its headers and its body. */
interface ValidRequest {
  readonly path: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly header: Readonly<Record<string, unknown>>
  readonly body: unknown
}

const bodySchema = (operation: DocumentedOperation): object | undefined =>
  operation.requestBody?.content['application/json'].schema

/** What may be in a field of HTTP at all, however little its schema says (RFC 9110, section 5.5). */
const fieldPattern = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/
/** Whose the request is, as its credential says: this API has no tenants. */
const tenantHeader = 'queue-tenant'
/** Without them a path is another one, or none. */
const isInPath = (value: unknown): boolean => !['', '.', '..'].includes(String(value).toWellFormed())

function requestsOf(
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

/** Requests without what may be left out beside the body: no filter, cursor or header is there to be refused. */
function leastRequests(operation: DocumentedOperation): readonly ValidRequest[] {
  const requests = requestsOf(operation, (where) => where === 'path')
  return fc.sample(requests, { seed, numRuns: leastRequestsEach })
}

/** The requests that the document itself gives as examples. */
function documentedRequests(operation: DocumentedOperation): readonly ValidRequest[] {
  const examples = operation.requestBody?.content['application/json'].examples ?? {}
  const [least] = leastRequests(operation)
  return least === undefined ? [] : Object.values(examples).map(({ value: body }) => ({ ...least, body }))
}

function send(template: string, method: string, request: ValidRequest): Promise<CheckedResponse> {
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
  return api.fetch(query === '' ? path : `${path}?${query}`, {
    method,
    headers,
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  })
}

/** What is said of a request that was refused, each thing with its `error`; nothing where it was not. */
function refusals({ status, body }: CheckedResponse): { readonly error: string; readonly message: string }[] {
  // What is not there, or is not in the right state, is no fault of the request.
  if (status < 400 || status === 404 || status === 409) return []
  const error = body.error ?? ''
  return (body.issues ?? [{ message: body.detail ?? '' }]).map(({ message }) => ({ error, message }))
}

function ruleOf(refusal: { readonly error: string; readonly message: string }): string | undefined {
  return rulesBeyondSchema.find(
    ({ errors, message }) => errors.includes(refusal.error) && message.test(refusal.message),
  )?.rule
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

describe('what the document allows is taken, or refused by a rule that JSON Schema cannot say:', () => {
  test.each(operations)('$method $path', async ({ path, method, operation }) => {
    const schema = bodySchema(operation)
    const pointer = pointerTo('paths', path, method.toLowerCase(), 'requestBody', 'content')
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async (request) => {
        const faults =
          schema === undefined
            ? []
            : faultsBySchema(`${pointer}/application~1json/schema`, plain(request.body))
        // The generator knows less of formats than the schema says.
        fc.pre(faults.length === 0)
        const answer = await send(path, method, request)
        const refused = refusals(answer)
        if (refused.length === 0) accepted += 1
        expect(refused.filter((refusal) => ruleOf(refusal) === undefined)).toEqual([])
      }),
      {
        seed,
        examples: [...documentedRequests(operation), ...leastRequests(operation)].map(
          (request): [ValidRequest] => [request],
        ),
        numRuns: leastRequestsEach + (schema === undefined ? 15 : 150) * testScale,
        maxSkipsPerRun: 20,
      },
    )
    expect(accepted).toBeGreaterThan(0)
  })
})

/** As the server reads it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

describe('each rule that JSON Schema cannot say', () => {
  test.each(rulesBeyondSchema)(
    'refuses: $rule',
    async ({ rule, example, path = '/jobs', method = 'post' }) => {
      if (typeof example !== 'string') {
        const pointer = pointerTo('paths', path, method, 'requestBody', 'content')
        expect(faultsBySchema(`${pointer}/application~1json/schema`, plain(example))).toEqual([])
      }
      const answer =
        typeof example === 'string'
          ? await api.fetch(example)
          : await send(path, method.toUpperCase(), { path: {}, query: {}, header: {}, body: example })
      const refused = refusals(answer)
      expect(refused).not.toEqual([])
      expect(refused.map(ruleOf)).toEqual(refused.map(() => rule))
    },
  )

  test('is in docs/errors.md', async () => {
    const text = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
    expect(rulesBeyondSchema.map(({ rule }) => rule).filter((rule) => !text.includes(`- ${rule}\n`))).toEqual(
      [],
    )
  })
})
