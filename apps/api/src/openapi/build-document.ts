import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { builtInJobs, type JobDefinition } from '@queue/core'
import { operations } from '../operations/index.ts'
import { program } from '../program.ts'
import { addKinds, type OpenApiDocument } from './add-kinds.ts'
import { describeOperation } from './describe-operation.ts'
import { registerSecuritySchemes } from './security-schemes.ts'
import { registerSharedComponents } from './shared-components.ts'

/**
 * The OpenAPI document of all operations, with the payloads of the catalogue's kinds, and with the OpenID Connect issuer
 * whose tokens are accepted, where there is one.
 */
export function buildDocument(catalogue: readonly JobDefinition[], issuer?: string): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  const schemes = registerSecuritySchemes(registry, issuer)
  registerSharedComponents(registry, operations)
  for (const operation of operations) registry.registerPath(describeOperation(operation, schemes))
  const document = new OpenApiGeneratorV31(registry.definitions, {
    sortComponents: 'alphabetically',
  }).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Queue API',
      version: program.version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that this document came from.' }],
    tags: [
      { name: 'Jobs', description: 'Enqueue, read, list, cancel and requeue jobs.' },
      {
        name: 'Dead letters',
        description: 'Jobs that have failed for good: read, requeue and delete them.',
      },
      { name: 'Schedules', description: 'Have jobs enqueued again and again.' },
      { name: 'Queues', description: 'List queues with their depth; pause and resume them.' },
      { name: 'Workers', description: 'List the worker processes.' },
      { name: 'Kinds', description: 'See, register and retire the kinds of job.' },
      { name: 'Keys', description: 'List and revoke the keys of the API.' },
      { name: 'Audit', description: 'List who changed what.' },
      { name: 'Monitoring', description: 'Probes and metrics.' },
      { name: 'Documentation', description: 'This document, as JSON and as a page.' },
    ],
  })
  return addKinds(document, catalogue)
}

const introduction = [
  'Background jobs on PostgreSQL, over HTTP.',
  '',
  '- Every error is `application/problem+json` (RFC 9457); its member `error` names the kind of error for programs.',
  '- An unlisted path is answered with 404, an unlisted method of a path with 405 and `Allow`.',
  '- Every answer has an `X-Request-Id`: the one that the request sent, or a new one. The server logs it.',
  '- With an API key that has a rate, every answer has `RateLimit` and `RateLimit-Policy`. Beyond the rate, it is 429.',
  '- 429, 503 and some 409 answers have `Retry-After`. After a 504 or a broken connection it is unknown whether the request',
  '  took effect: repeat it with the same idempotency key.',
  '- A request may name one tenant by the header `Queue-Tenant` (percent-encoded where it is not ASCII). It is then served as one',
  '  of this tenant alone. Whoever has several tenants has to name one.',
  '- Every `GET` can also be sent as `HEAD`.',
].join('\n')

/** The document that is kept in the repository: that of a server with the built-in kinds. */
export function documentText(): string {
  return `${JSON.stringify(buildDocument(builtInJobs), null, 2)}\n`
}
