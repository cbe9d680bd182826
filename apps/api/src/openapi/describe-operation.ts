import type { ResponseConfig, RouteConfig, ZodRequestBody } from '@asteasolutions/zod-to-openapi'
import { isWithinBounds } from '@queue/core/internal'
import { z } from 'zod'
import { tenantHeader } from '../http/headers.ts'
import type { BodyDescription, Operation, SuccessDescription } from '../http/operation.ts'
import { problemGroups } from './problem-responses.ts'

const tenantHeaders = z.object({
  [tenantHeader]: z
    .string()
    .optional()
    .meta({
      description:
        'Restricts the request to this tenant. Percent-encode the tenant if it is not ASCII. Required for callers with ' +
        'several tenants.',
    }),
})

const requestIdHeader = z.object({
  'x-request-id': z
    .string()
    .optional()
    .meta({ description: 'Your id for this request. It is logged and returned. Defaults to a new id.' }),
})

/** Describes an operation as OpenAPI. */
export function describeOperation(operation: Operation, schemes: readonly string[]): RouteConfig {
  const { params, query, headers = z.object({}), body, permission } = operation
  const callerHeaders =
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
    // The empty requirement stands for a server without authentication.
    security: securityOf(operation, schemes),
    request: {
      ...(params === undefined ? {} : { params }),
      ...(query === undefined ? {} : { query }),
      headers: callerHeaders.extend(requestIdHeader.shape),
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

const requestIdResponseHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } } as const

function describeSuccesses(successes: readonly SuccessDescription[]): Record<string, ResponseConfig> {
  return Object.fromEntries(successes.map((success) => [String(success.status), describeSuccess(success)]))
}

function describeSuccess({ description, headers = {}, content }: SuccessDescription): ResponseConfig {
  const documentedHeaders = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' as const } },
  ])
  return {
    description,
    headers: { ...requestIdResponseHeader, ...Object.fromEntries(documentedHeaders) },
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

/** The problems of an operation, by status. */
function describeProblems(operation: Operation): RouteConfig['responses'] {
  return Object.fromEntries(
    problemGroups(operation).map(({ status, component }) => [
      String(status),
      { $ref: `#/components/responses/${component}` },
    ]),
  )
}
