import { OpenApiGeneratorV31, OpenAPIRegistry } from '@asteasolutions/zod-to-openapi'
import { builtInJobs, type JobDefinition } from '@queue/core'
import { operations } from '../operations/index.ts'
import { program } from '../program.ts'
import { addKinds, type OpenApiDocument } from './add-kinds.ts'
import { describeOperation } from './describe-operation.ts'
import { registerSharedComponents } from './shared-components.ts'

/** The OpenAPI document of all operations, with the payloads of the catalogue's kinds. */
export function buildDocument(catalogue: readonly JobDefinition[]): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  registerSharedComponents(registry, operations)
  for (const operation of operations) registry.registerPath(describeOperation(operation))
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
        description: 'Jobs that have failed for good: look into them, run them again.',
      },
      { name: 'Queues', description: 'See how deep queues are, pause and resume them.' },
      { name: 'Workers', description: 'See who works.' },
      { name: 'Keys', description: 'See who may call the API, and revoke that.' },
      { name: 'Monitoring', description: 'Probes and metrics.' },
      { name: 'Documentation', description: 'What you are reading.' },
    ],
  })
  return addKinds(document, catalogue)
}

const introduction = [
  'Background jobs on PostgreSQL, over HTTP.',
  '',
  '- Every error is `application/problem+json` (RFC 9457); its member `error` is a slug for programs to act upon.',
  '- A path that is not listed here is a 404, a method that is not listed for a path a 405 with `Allow`.',
  '- Every answer bears an `X-Request-Id`: the one that the request sent, or a fresh one. The server logs it.',
  '- 503 and some 409 answers bear `Retry-After`. After a 504 or a broken connection it is unknown whether the request',
  '  took effect: repeat it with the same idempotency key.',
  '- `HEAD` is answered wherever `GET` is.',
].join('\n')

/** The document that is kept in the repository: that of a server with the built-in kinds. */
export function documentText(): string {
  return `${JSON.stringify(buildDocument(builtInJobs), null, 2)}\n`
}
