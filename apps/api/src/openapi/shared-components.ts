import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { type Operation, problemsOf } from '../http/operation.ts'
import { Problem, problemTypes } from '../http/problem.ts'
import { problemBody } from '../http/send.ts'

/** What operations refer to by name: the headers of many answers, and an example of each problem. */
export function registerSharedComponents(registry: OpenAPIRegistry, operations: readonly Operation[]): void {
  registry.registerComponent('headers', 'RequestId', {
    description: 'The id of this request.',
    schema: { type: 'string' },
  })
  registry.registerComponent('headers', 'RetryAfter', {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer' },
  })
  registry.registerComponent('headers', 'RateLimit', {
    description:
      'For a key with a rate: r requests are left; t seconds until there are more, where none is left.',
    schema: { type: 'string', example: '"key";r=17' },
  })
  registry.registerComponent('headers', 'RateLimitPolicy', {
    description: 'For a key with a rate: q requests in w seconds.',
    schema: { type: 'string', example: '"key";q=600;w=60' },
  })
  registry.registerComponent('headers', 'Accept', {
    description: 'The media type that is accepted, after a body of another one.',
    schema: { type: 'string' },
  })
  registry.registerComponent('headers', 'AcceptEncoding', {
    description: 'identity, after a compressed body: only uncompressed ones are accepted.',
    schema: { type: 'string' },
  })
  registry.registerComponent('headers', 'WwwAuthenticate', {
    description: 'How to authenticate: Bearer.',
    schema: { type: 'string' },
  })
  for (const slug of new Set(operations.flatMap((operation) => [...problemsOf(operation)]))) {
    registry.registerComponent('examples', slug, {
      summary: problemTypes[slug].title,
      value: problemBody(new Problem(slug), '/jobs'),
    })
  }
}
