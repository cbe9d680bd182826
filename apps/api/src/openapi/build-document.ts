import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { builtInJobs, type JobDefinition } from '@queue/core'
import { operations } from '../operations/index.ts'
import { program } from '../program.ts'
import { addKinds, type OpenApiDocument } from './add-kinds.ts'
import { describeOperation } from './describe-operation.ts'
import { registerProblemResponses } from './problem-responses.ts'
import { registerSecuritySchemes } from './security-schemes.ts'
import { registerSharedComponents } from './shared-components.ts'
import { shareParameters } from './share-parameters.ts'
import { problemSchema } from '../wire/problem.ts'

/**
 * The OpenAPI document of all operations, with the payloads of the kinds in the catalogue, and with the OpenID Connect issuer
 * if there is one.
 */
export function buildDocument(catalogue: readonly JobDefinition[], issuer?: string): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  const schemes = registerSecuritySchemes(registry, issuer)
  registerSharedComponents(registry, operations)
  registerProblemResponses(registry, operations)
  for (const operation of operations) registry.registerPath(describeOperation(operation, schemes))
  const document = new OpenApiGeneratorV31(
    [...registry.definitions, { type: 'schema', schema: problemSchema }],
    {
      sortComponents: 'alphabetically',
    },
  ).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Queue API',
      version: program.version,
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: [
      { name: 'Jobs', description: 'Enqueue, read, list, cancel and requeue jobs.' },
      {
        name: 'Dead letters',
        description: 'Read, requeue and delete the dead letters of jobs that failed permanently.',
      },
      { name: 'Operations', description: 'Follow and cancel bulk actions that workers run in batches.' },
      { name: 'Schedules', description: 'Manage schedules, which enqueue jobs at their run times.' },
      { name: 'Queues', description: 'List, pause, resume and limit queues, and read their statistics.' },
      { name: 'Workers', description: 'List worker processes.' },
      { name: 'Kinds', description: 'List, register and retire job kinds.' },
      { name: 'Keys', description: 'List and revoke API keys.' },
      { name: 'Audit', description: 'Read the audit log.' },
      { name: 'Monitoring', description: 'Probes, metrics and diagnosis.' },
      { name: 'Documentation', description: 'This document, as JSON and as a page.' },
    ],
  })
  return addKinds(shareParameters(document), catalogue)
}

const introduction = [
  'Background jobs on PostgreSQL, over HTTP.',
  '',
  '- Every error is `application/problem+json` (RFC 9457). Its member `error` is a code for programs.',
  '- An unknown path returns 404. An unsupported method returns 405 with `Allow`.',
  '- Every response has an `X-Request-Id`: the one of the request, or a new one. The server logs it.',

  '- With a rate-limited API key, every response has `RateLimit` and `RateLimit-Policy`. Beyond the rate limit, ' +
    'requests return 429.',

  '- 429, 503 and some 409 responses have `Retry-After`. After a 504 or a broken connection, the request may have ' +
    'taken effect:',
  '  repeat it with the same idempotency key.',

  '- The header `Queue-Tenant` restricts a request to one tenant. Percent-encode the tenant if it is not ASCII. A ' +
    'caller with',
  '  several tenants must send the header.',
  '- Every `GET` can also be sent as `HEAD`.',
].join('\n')

/** The document in the repository: that of a server with only the built-in kinds. */
export function documentText(): string {
  return `${JSON.stringify(buildDocument(builtInJobs), null, 2)}\n`
}
