import type { ResponseConfig, RouteConfig, ZodRequestBody } from '@asteasolutions/zod-to-openapi'
import { isWithinBounds } from '@queue/core/access'
import { z } from 'zod'
import { tenantHeader } from '../http/headers.ts'
import {
  type BodyDescription,
  type Operation,
  problemsOf,
  type SuccessDescription,
} from '../http/operation.ts'
import { type ProblemSlug, problemTypes } from '../http/problem.ts'
import { problemSchema } from '../wire/problem.ts'

const tenantHeaders = z.object({
  [tenantHeader]: z.string().optional().meta({
    description:
      'The tenant that the request is about, percent-encoded where it is not ASCII. A caller with several tenants has to name one.',
  }),
})

const requestIdHeader = z.object({
  'x-request-id': z
    .string()
    .optional()
    .meta({ description: 'An id of your own for this request, to find it in logs.' }),
})

/** An operation as OpenAPI describes it. */
export function describeOperation(operation: Operation, schemes: readonly string[]): RouteConfig {
  const { params, query, headers = z.object({}), body, permission } = operation
  const ofCaller =
    permission === 'any' || (permission !== 'none' && isWithinBounds(permission))
      ? headers.extend(tenantHeaders.shape)
      : headers
  return {
    operationId: operation.operationId,
    method: operation.method,
    path: operation.path,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    // The empty requirement: a server without a token asks for none.
    security: securityOf(operation, schemes),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      headers: ofCaller.extend(requestIdHeader.shape),
      ...(body === undefined ? {} : { body: describeBody(body) }),
    },
    responses: { ...describeSuccesses(operation.successes), ...describeProblems(operation) },
  }
}

function securityOf({ permission }: Operation, schemes: readonly string[]): Record<string, string[]>[] {
  if (permission === 'none') return []
  const needed = permission === 'any' ? [] : [permission]
  return [...schemes.map((scheme) => ({ [scheme]: needed })), {}]
}

function describeBody({ documented, schema, description, examples }: BodyDescription): ZodRequestBody {
  return {
    description,
    required: true,
    content: { 'application/json': { schema: documented ?? schema, examples } },
  }
}

const requestIdOut = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } } as const

function describeSuccesses(successes: readonly SuccessDescription[]): Record<string, ResponseConfig> {
  return Object.fromEntries(successes.map((success) => [String(success.status), describeSuccess(success)]))
}

function describeSuccess({ description, headers = {}, content }: SuccessDescription): ResponseConfig {
  const named = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' as const } },
  ])
  return {
    description,
    headers: { ...requestIdOut, ...Object.fromEntries(named) },
    ...(content === undefined
      ? {}
      : {
          content: {
            [content.mediaType]:
              content.schema === undefined
                ? { schema: { type: 'string' as const } }
                : { schema: content.schema, ...('example' in content ? { example: content.example } : {}) },
          },
        }),
  }
}

/** The problems of an operation by their status, each slug with an example. */
function describeProblems(operation: Operation): Record<string, ResponseConfig> {
  const byStatus = Map.groupBy(problemsOf(operation), (slug) => problemTypes[slug].status)
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(statuses.map(([status, slugs]) => [String(status), describeProblem(slugs)]))
}

const refusedBodyHeaders = {
  Accept: { $ref: '#/components/headers/Accept' },
  'Accept-Encoding': { $ref: '#/components/headers/AcceptEncoding' },
} as const

const rateHeaders = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
} as const

function describeProblem(slugs: readonly ProblemSlug[]): ResponseConfig {
  const lines = slugs.map((slug) => `\`${slug}\`: ${problemTypes[slug].title}.`)
  const retryable = slugs.some((slug) => problemTypes[slug].retryAfterSeconds !== undefined)
  return {
    description: lines.join(' '),
    headers: {
      ...requestIdOut,
      ...(retryable ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      ...(slugs.includes('unauthorized')
        ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } }
        : {}),
      ...(slugs.includes('unsupported_media_type') ? refusedBodyHeaders : {}),
      ...(slugs.includes('rate_limited') ? rateHeaders : {}),
    },
    content: {
      'application/problem+json': {
        schema: problemSchema,
        examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
      },
    },
  }
}
