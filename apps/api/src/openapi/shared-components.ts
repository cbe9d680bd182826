import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { type Operation, problemsOf } from '../http/operation.ts'
import { Problem } from '../http/problem.ts'
import { problemTypes } from '../http/problem-types.ts'
import { problemBody } from '../http/send.ts'

/** Registers the components that operations refer to: common response headers, and an example of each problem. */
export function registerSharedComponents(registry: OpenAPIRegistry, operations: readonly Operation[]): void {
  registry.registerComponent('headers', 'RequestId', {
    description: 'Id of this request.',
    schema: { type: 'string' },
  })
  registry.registerComponent('headers', 'RetryAfter', {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer' },
  })
  registry.registerComponent('headers', 'RateLimit', {
    description:
      'Only for a rate-limited key. `r` is the number of remaining requests. If it is 0, `t` is the number of seconds ' +
      'until more are available.',
    schema: { type: 'string', example: '"key";r=17' },
  })
  registry.registerComponent('headers', 'RateLimitPolicy', {
    description: 'Only for a rate-limited key. The rate limit: `q` requests in `w` seconds.',
    schema: { type: 'string', example: '"key";q=600;w=60' },
  })
  registry.registerComponent('headers', 'Accept', {
    description: 'The supported media type, in the response to a body of another type.',
    schema: { type: 'string' },
  })
  registry.registerComponent('headers', 'AcceptEncoding', {
    description: 'Always `identity`: only uncompressed bodies are supported.',
    schema: { type: 'string' },
  })
  registry.registerComponent('headers', 'WwwAuthenticate', {
    description: 'The authentication scheme: Bearer.',
    schema: { type: 'string' },
  })
  for (const slug of new Set(operations.flatMap((operation) => [...problemsOf(operation)]))) {
    registry.registerComponent('examples', slug, {
      summary: problemTypes[slug].title,
      value: problemBody(new Problem(slug), '/jobs'),
    })
  }
}
