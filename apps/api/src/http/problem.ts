import type { ErrorCode } from '@queue/core'
import type { z } from 'zod'
import {
  detailLengthMax,
  issueMessageLengthMax,
  issuePathLengthMax,
  issuesMax,
  retryAfterSeconds,
} from './limits.ts'

/** One thing that is wrong with a request. */
export interface Issue {
  /** A JSON pointer (RFC 6901) into the body, or the name of the query parameter or header after a slash. */
  readonly path: string
  readonly message: string
}

interface ProblemType {
  readonly status: number
  /** The same for every occurrence. */
  readonly title: string
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number
}

/** The errors of the queue as HTTP problems. */
const queueProblems = {
  invalid_job: { status: 422, title: 'The job is not valid' },
  invalid_options: { status: 500, title: 'Something went wrong on the server' },
  invalid_cursor: { status: 400, title: 'The cursor is not one that a list has returned' },
  unknown_kind: { status: 422, title: 'There is no such kind of job' },
  invalid_kind: { status: 422, title: 'A kind is not valid' },
  kind_conflict: { status: 409, title: 'Jobs of this version were made by another schema' },
  kind_not_found: { status: 404, title: 'There is no such kind' },
  invalid_transition: { status: 409, title: 'The state of the job does not allow this' },
  refused: { status: 409, title: 'The database does not allow this change' },
  job_not_found: { status: 404, title: 'There is no such job' },
  dead_letter_not_found: { status: 404, title: 'There is no such dead letter' },
  operation_not_found: { status: 404, title: 'There is no such operation' },
  job_changed: { status: 412, title: 'The job has changed since it was read' },
  queue_not_found: { status: 404, title: 'There is no such queue' },
  limit_not_found: { status: 404, title: 'There is no such limit' },
  invalid_limit: { status: 422, title: 'The limit is not valid' },
  out_of_scope: { status: 403, title: 'The caller is bound to other tenants, queues or kinds' },
  key_not_found: { status: 404, title: 'There is no such key' },
  invalid_schedule: { status: 422, title: 'The schedule is not valid' },
  schedule_not_found: { status: 404, title: 'There is no such schedule' },
  schedule_exists: { status: 409, title: 'There is another schedule with this name' },
  schedule_overlaps: { status: 409, title: 'The last job of the schedule has not ended' },
  idempotency_mismatch: { status: 422, title: 'The idempotency key belongs to a different request' },
  idempotency_key_locked: {
    status: 409,
    title: 'Another transaction is writing a job with this idempotency key',
    retryAfterSeconds,
  },
  unique_conflict: { status: 409, title: 'Another job holds the unique key' },
  unique_key_locked: {
    status: 409,
    title: 'Another transaction is writing a job with this unique key',
    retryAfterSeconds,
  },
  queue_full: { status: 429, title: 'The queue takes no more jobs now', retryAfterSeconds },
  overloaded: { status: 503, title: 'Too many requests wait already', retryAfterSeconds },
  database_unavailable: { status: 503, title: 'The database cannot be reached', retryAfterSeconds },
  schema_mismatch: { status: 503, title: 'The database schema does not fit this release', retryAfterSeconds },
  migration_failed: { status: 500, title: 'Something went wrong on the server' },
} as const satisfies Record<ErrorCode, ProblemType>

/** The problems of HTTP itself, before or around an operation of the queue. */
const httpProblems = {
  bad_request: { status: 400, title: 'The request is malformed' },
  unparsable_body: { status: 400, title: 'The body is not JSON that can be read' },
  invalid_query: { status: 400, title: 'A query parameter is not valid' },
  invalid_header: { status: 400, title: 'A header is not valid' },
  invalid_body: { status: 422, title: 'The body is not valid' },
  unauthorized: { status: 401, title: 'A valid bearer token is needed' },
  forbidden: { status: 403, title: 'The caller lacks a permission' },
  foreign_origin: { status: 403, title: 'The request comes from a page of another site' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  method_not_allowed: { status: 405, title: 'This path does not support the method' },
  not_acceptable: { status: 406, title: 'The answer has none of the accepted media types' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body is of an unsupported media type' },
  foreign_host: { status: 421, title: 'This server does not answer to the host of the request' },
  rate_limited: { status: 429, title: 'More requests with this key than its rate allows', retryAfterSeconds },
  too_many_streams: { status: 429, title: 'This key has too many streams open', retryAfterSeconds },
  too_many_waits: { status: 429, title: 'Too many requests with this key wait for jobs', retryAfterSeconds },
  too_many_bytes: {
    status: 429,
    title: 'Requests with this key have too many bytes under way',
    retryAfterSeconds,
  },
  too_many_link_reads: { status: 429, title: 'The job is read too often by this link', retryAfterSeconds },
  too_many_unknown_keys: {
    status: 429,
    title: 'Too many keys from this address are none; send one that exists, and fewer that do not',
    retryAfterSeconds,
  },
  precondition_required: {
    status: 428,
    title: 'The request has to say which version of the job it is about',
  },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'Something went wrong on the server' },
  issuer_unavailable: {
    status: 503,
    title: 'The issuer of the token cannot be asked for its keys',
    retryAfterSeconds,
  },
  not_ready: { status: 503, title: 'The server is not ready', retryAfterSeconds },
  timeout: { status: 504, title: 'The answer took too long' },
} as const satisfies Record<string, ProblemType>

/** Every way in which a request can fail, by its slug. A member of each error response. */
export const problemTypes: Readonly<Record<ProblemSlug, ProblemType>> = { ...queueProblems, ...httpProblems }

export type ProblemSlug = keyof typeof queueProblems | keyof typeof httpProblems

/** What an occurrence adds to its type. */
export interface ProblemDetails {
  /** What is wrong with this request, in a sentence. Never shown when the status is 5xx. */
  readonly detail?: string
  readonly issues?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** A request that cannot be served, as an error to throw. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly slug: ProblemSlug
  readonly status: number
  readonly issues: readonly Issue[] | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>

  constructor(slug: ProblemSlug, details: ProblemDetails = {}) {
    super(
      details.detail ?? problemTypes[slug].title,
      details.cause === undefined ? {} : { cause: details.cause },
    )
    const type = problemTypes[slug]
    this.slug = slug
    this.status = type.status
    this.issues = details.issues
    this.headers =
      type.retryAfterSeconds === undefined
        ? (details.headers ?? {})
        : { 'retry-after': String(type.retryAfterSeconds), ...details.headers }
    this.members = details.members ?? {}
  }
}

/** One finding, as zod and the queue report it. */
interface Finding {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The first findings as issues of a problem: a hostile body must not get an answer many times its own size. */
export function toIssues(findings: readonly Finding[]): Issue[] {
  return findings.slice(0, issuesMax).map((finding) => ({
    path: cut(toPointer(finding.path), issuePathLengthMax),
    message: cut(finding.message, issueMessageLengthMax),
  }))
}

/** The findings of a schema. An unknown field is pointed at by its own path. */
export function findingsOf(error: z.ZodError): Finding[] {
  return error.issues.slice(0, issuesMax).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [issue]
    return issue.keys
      .slice(0, issuesMax)
      .map((key) => ({ path: [...issue.path, key], message: 'unknown field' }))
  })
}

/** The problem whose whole detail is its issues. */
export function issuesProblem(slug: ProblemSlug, issues: readonly Issue[], cause?: unknown): Problem {
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return new Problem(slug, { detail: cut(lines.join('; '), detailLengthMax), issues, cause })
}

/** A JSON pointer (RFC 6901). The pointer to the whole document is the empty string. */
function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

function cut(text: string, lengthMax: number): string {
  const wellFormed = text.toWellFormed()
  return wellFormed.length <= lengthMax ? wellFormed : `${wellFormed.slice(0, lengthMax - 1).toWellFormed()}…`
}
