import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { type Operation, problemsOf } from '../http/operation.ts'
import { type ProblemSlug, problemTypes } from '../http/problem-types.ts'

/** The problems that an operation answers with one status. */
interface ProblemGroup {
  readonly status: number
  readonly slugs: readonly ProblemSlug[]
  /** The key of their response among the components. Operations with the same problems share it. */
  readonly component: string
}

/** The problems of an operation, by status. */
export function problemGroups(operation: Operation): ProblemGroup[] {
  const byStatus = Map.groupBy(problemsOf(operation), (slug) => problemTypes[slug].status)
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, unsorted]) => {
      const slugs = unsorted.toSorted()
      return { status, slugs, component: slugs.join('.') }
    })
}

/** Registers the response of each group of problems, once for all operations that have it. */
export function registerProblemResponses(registry: OpenAPIRegistry, operations: readonly Operation[]): void {
  const groups = operations.flatMap(problemGroups)
  for (const [component, [group]] of Map.groupBy(groups, (one) => one.component))
    registry.registerComponent('responses', component, describeProblems(group?.slugs ?? []))
}

const refusedBodyHeaders = {
  Accept: { $ref: '#/components/headers/Accept' },
  'Accept-Encoding': { $ref: '#/components/headers/AcceptEncoding' },
} as const

const rateHeaders = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
} as const

/** One response for the problems of a status, with an example of each. */
function describeProblems(slugs: readonly ProblemSlug[]) {
  const lines = slugs.map((slug) => `\`${slug}\`: ${problemTypes[slug].title}.`)
  const retryable = slugs.some((slug) => problemTypes[slug].retryAfterSeconds !== undefined)
  return {
    description: lines.join(' '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(retryable ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } : {}),
      ...(slugs.includes('unauthorized')
        ? { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } }
        : {}),
      ...(slugs.includes('unsupported_media_type') ? refusedBodyHeaders : {}),
      ...(slugs.includes('rate_limited') ? rateHeaders : {}),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(slugs.map((slug) => [slug, { $ref: `#/components/examples/${slug}` }])),
      },
    },
  }
}
