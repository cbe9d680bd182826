import type { Operation } from './operation.ts'
import type { ProblemSlug } from './problem.ts'

/** Every way in which an operation can fail: its own, and those that follow from what it takes. */
export function problemsOf(operation: Operation): ReadonlySet<ProblemSlug> {
  return new Set<ProblemSlug>([
    ...operation.problems,
    'bad_request',
    ...(operation.query === undefined ? [] : ['invalid_query' as const]),
    ...(operation.headers === undefined ? [] : ['invalid_header' as const]),
    ...(operation.body === undefined ? [] : [...bodyProblems, operation.body.refusedAs ?? 'invalid_job']),
    ...(operation.access === 'public' ? [] : ['unauthorized' as const]),
    ...(operation.method === 'get' ? [] : ['foreign_origin' as const]),
    ...surrounding,
  ])
}

const bodyProblems = ['unparsable_body', 'body_too_large', 'unsupported_media_type'] as const

/** What no operation is safe from. */
const surrounding = [
  'not_acceptable',
  'request_timeout',
  'foreign_host',
  'headers_too_large',
  'internal',
  'timeout',
] as const

/** What any operation that asks the database can answer. */
export const databaseProblems = [
  'database_unavailable',
  'schema_mismatch',
] as const satisfies readonly ProblemSlug[]
