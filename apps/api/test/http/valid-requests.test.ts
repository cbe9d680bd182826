import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  bodySchema,
  document,
  type DocumentedOperation,
  encodeRequest,
  faultsBySchema,
  pointerTo,
  requestsOf,
  type ValidRequest,
} from '@queue/test-http'
import fc from 'fast-check'
import type { CheckedResponse } from '../support/checked-fetch.ts'
import { rulesBeyondSchema } from '../support/rules-beyond-schema.ts'
import { testScale } from '../support/scale.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const leastRequestsEach = 3
let api: DatabaseApi

beforeAll(async () => {
  // What holds this connection and waits for another one is answered with 503.
  api = await startDatabaseApi({ poolMax: 1 })
})

afterAll(() => api.close())

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
  const { target, ...init } = encodeRequest(template, method, request)
  return api.fetch(target, init)
}

/** What is said of a request that was refused, each thing with its `error`; nothing where it was not. */
function refusals({ status, body }: CheckedResponse): { readonly error: string; readonly message: string }[] {
  // What is not there, or is not in the right state or version, is no fault of the request.
  if (status < 400 || status === 404 || status === 409 || status === 412) return []
  const error = body.error ?? ''
  return (body.issues ?? [{ message: body.detail ?? '' }]).map(({ message }) => ({ error, message }))
}

function ruleOf(refusal: { readonly error: string; readonly message: string }): string | undefined {
  return rulesBeyondSchema.find(
    ({ errors, message }) => errors.includes(refusal.error) && message.test(refusal.message),
  )?.rule
}

/** The document has the payloads of new jobs and schedules. What fits a schedule that exists depends on its kind. */
function leavesKindOpen(operation: string, { body }: ValidRequest): boolean {
  if (operation !== 'PATCH /schedules/{name}') return false
  return 'kind' in (body as object) || 'payload' in (body as object)
}

function isOfKind({ error }: { readonly error: string }): boolean {
  return error === 'unknown_kind' || error === 'invalid_schedule'
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
        const isKindOpen = leavesKindOpen(`${method} ${path}`, request)
        const unexplained = refused.filter(
          (refusal) => ruleOf(refusal) === undefined && !(isKindOpen && isOfKind(refusal)),
        )
        expect(unexplained).toEqual([])
      }),
      {
        seed,
        examples: [...documentedRequests(operation), ...leastRequests(operation)].map(
          (request): [ValidRequest] => [request],
        ),
        numRuns: leastRequestsEach + (schema === undefined ? 10 : 60) * testScale,
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
    const text = await readFile(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
    expect(rulesBeyondSchema.map(({ rule }) => rule).filter((rule) => !text.includes(`- ${rule}\n`))).toEqual(
      [],
    )
  })
})
