import type { ErrorCode } from '@queue/core'
import { bodyBytesMax, headerBytesMax, retryAfterSeconds } from './limits.ts'

interface ProblemType {
  readonly status: number
  /** A short summary, the same for every occurrence. */
  readonly title: string
  /** What is wrong and what to do. Used if an occurrence has no detail of its own, and for every 5xx. */
  readonly detail: string
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number
}

const internalError = {
  status: 500,
  title: 'Internal server error',
  detail: 'the server failed to process the request: report it with the X-Request-Id of this response',
} as const

/** The errors of the queue as HTTP problems. */
const queueProblems = {
  invalid_job: { status: 422, title: 'The job is invalid', detail: 'the job is invalid: correct it' },
  invalid_options: internalError,
  invalid_cursor: {
    status: 400,
    title: 'The cursor is invalid',
    detail: 'the cursor does not come from this list: start without a cursor',
  },
  unknown_kind: {
    status: 422,
    title: 'The job kind is unknown',
    detail: 'the server does not know this kind: correct it, or register the kind',
  },
  invalid_kind: { status: 422, title: 'The kind is invalid', detail: 'the kind is invalid: correct it' },
  kind_conflict: {
    status: 409,
    title: 'Jobs of this version exist with another schema',
    detail: 'jobs of this version exist with another schema: register the new schema as the next version',
  },
  kind_not_found: {
    status: 404,
    title: 'The kind does not exist',
    detail: 'there is no kind with this name',
  },
  invalid_transition: {
    status: 409,
    title: 'The status of the job does not allow this',
    detail: 'the status of the job does not allow this: read the job to see its status',
  },
  refused: {
    status: 409,
    title: 'The database refused the change',
    detail: 'a constraint or trigger of the database refused the change: ask the owner of the database',
  },
  job_not_found: {
    status: 404,
    title: 'The job does not exist',
    detail: 'there is no job with this id: it may have been removed by retention',
  },
  dead_letter_not_found: {
    status: 404,
    title: 'The dead letter does not exist',
    detail:
      'there is no dead letter with this id: it may have been requeued, deleted or removed by retention',
  },
  operation_not_found: {
    status: 404,
    title: 'The operation does not exist',
    detail: 'there is no operation with this id: it may have been removed by retention',
  },
  selects_everything: {
    status: 422,
    title: 'The filter selects everything',
    detail: 'a filter without a condition selects everything: give a condition, or `all: true`',
  },
  too_many_operations: {
    status: 429,
    title: 'Too many operations',
    detail:
      'too many operations of this caller or its tenant have not ended, and this one was not started: wait for one to end, or cancel one',
    retryAfterSeconds,
  },
  job_changed: {
    status: 412,
    title: 'The job has changed',
    detail: 'the job has changed since the version in If-Match: read the job again, then repeat the edit',
  },
  queue_not_found: {
    status: 404,
    title: 'The queue does not exist',
    detail: 'there is no queue with this name: no worker has ever served it',
  },
  limit_not_found: {
    status: 404,
    title: 'The limit does not exist',
    detail: 'there is no such limit',
  },
  limit_changed: {
    status: 412,
    title: 'The limit has changed',
    detail:
      'the limit has changed since the version in If-Match, or exists despite If-None-Match: read it again, then repeat the change',
  },
  invalid_limit: { status: 422, title: 'The limit is invalid', detail: 'the limit is invalid: correct it' },
  out_of_scope: {
    status: 403,
    title: 'The request is outside the scope of the credential',
    detail: 'the credential is restricted to other tenants, queues or kinds: use another credential',
  },
  key_not_found: {
    status: 404,
    title: 'The API key does not exist',
    detail: 'there is no API key with this id',
  },
  invalid_schedule: {
    status: 422,
    title: 'The schedule is invalid',
    detail: 'the schedule is invalid: correct it',
  },
  schedule_not_found: {
    status: 404,
    title: 'The schedule does not exist',
    detail: 'there is no schedule with this name',
  },
  schedule_exists: {
    status: 409,
    title: 'The schedule already exists',
    detail: 'a schedule with this name already exists: update it, or choose another name',
  },
  schedule_overlaps: {
    status: 409,
    title: 'The last job of the schedule has not ended',
    detail: 'the last job of the schedule has not ended: wait for it, or cancel it',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'The idempotency key belongs to another request',
    detail: 'the idempotency key was used with a different kind, queue or payload: use another key',
  },
  idempotency_key_locked: {
    status: 409,
    title: 'The idempotency key is locked',
    detail: 'another transaction is writing a job with this idempotency key: retry after Retry-After',
    retryAfterSeconds,
  },
  unique_conflict: {
    status: 409,
    title: 'Another job holds the unique key',
    detail: 'another job holds the unique key: wait for that job to end, or cancel it',
  },
  unique_key_locked: {
    status: 409,
    title: 'The unique key is locked',
    detail: 'another transaction is writing a job with this unique key: retry after Retry-After',
    retryAfterSeconds,
  },
  queue_full: {
    status: 429,
    title: 'The queue is full',
    detail: 'the queue has its maximum number of waiting jobs: retry after Retry-After',
    retryAfterSeconds,
  },
  enqueue_too_old: {
    status: 503,
    title: 'The enqueue has waited too long',
    detail:
      'the enqueue has waited for the database for more than an hour, and nothing was written: repeat it',
    retryAfterSeconds,
  },
  overloaded: {
    status: 503,
    title: 'The server is overloaded',
    detail: 'too many requests are waiting, and nothing was done: retry after Retry-After',
    retryAfterSeconds,
  },
  database_unavailable: {
    status: 503,
    title: 'The database is unavailable',
    detail:
      'the database did not answer, and a write may have taken effect: retry it with the same idempotency key',
    retryAfterSeconds,
  },
  schema_mismatch: {
    status: 503,
    title: 'The database schema does not match this release',
    detail: 'the database schema does not match this release: migrate it, or deploy the matching release',
    retryAfterSeconds,
  },
  migration_failed: internalError,
} as const satisfies Record<ErrorCode, ProblemType>

/** The problems of HTTP requests themselves. */
const httpProblems = {
  bad_request: {
    status: 400,
    title: 'The request is malformed',
    detail: 'the request is not valid HTTP: correct the client',
  },
  unparsable_body: {
    status: 400,
    title: 'The body cannot be parsed',
    detail: 'the body is not valid JSON',
  },
  invalid_query: {
    status: 400,
    title: 'A query parameter is invalid',
    detail: 'a query parameter is invalid: correct it',
  },
  invalid_header: { status: 400, title: 'A header is invalid', detail: 'a header is invalid: correct it' },
  invalid_body: { status: 422, title: 'The body is invalid', detail: 'the body is invalid: correct it' },
  unauthorized: {
    status: 401,
    title: 'Authentication is required',
    detail: 'send a valid credential in the header Authorization: Bearer <token>',
  },
  forbidden: {
    status: 403,
    title: 'A permission is missing',
    detail: 'the credential lacks a permission: use one that has it',
  },
  foreign_origin: {
    status: 403,
    title: 'Cross-site requests are not allowed',
    detail: 'a page of another site sent this request: call the API from its own origin or from a server',
  },
  not_found: {
    status: 404,
    title: 'The path does not exist',
    detail: 'there is nothing at this path: check the URL',
  },
  method_not_allowed: {
    status: 405,
    title: 'The path does not support this method',
    detail: 'the path does not support this method: Allow lists those that it supports',
  },
  not_acceptable: {
    status: 406,
    title: 'No accepted media type is available',
    detail: 'the response is not available in an accepted media type: change Accept',
  },
  request_timeout: {
    status: 408,
    title: 'The request arrived too slowly',
    detail: 'the request did not arrive in time: send it again',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    detail: `a body can have at most ${bodyBytesMax} bytes`,
  },
  unsupported_media_type: {
    status: 415,
    title: 'The media type is not supported',
    detail: 'the media type of the body is not supported: send Content-Type: application/json in UTF-8',
  },
  foreign_host: {
    status: 421,
    title: 'The host is not allowed',
    detail:
      'the host of the request is not allowed: use an allowed host, or add this one to API_ALLOWED_HOSTS',
  },
  rate_limited: {
    status: 429,
    title: 'The rate limit of the credential is used up',
    detail: 'the rate limit of the credential is used up: retry after Retry-After',
    retryAfterSeconds,
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests at a time',
    detail:
      'the credential has too many requests at a time, and this one was not begun: retry after Retry-After, and send fewer at a time',
    retryAfterSeconds,
  },
  too_many_streams: {
    status: 429,
    title: 'Too many open streams',
    detail: 'the credential has too many open streams: close one, or wait for one to end',
    retryAfterSeconds,
  },
  too_many_waits: {
    status: 429,
    title: 'Too many waiting requests',
    detail: 'too many requests of the credential are waiting for jobs: send this one without Prefer: wait',
    retryAfterSeconds,
  },
  too_many_bytes: {
    status: 429,
    title: 'Too many bytes in flight',
    detail: 'the request bodies of the credential are too large together: send fewer at a time',
    retryAfterSeconds,
  },
  too_many_link_reads: {
    status: 429,
    title: 'Too many reads by link',
    detail: 'the job was read too often by its link: retry after Retry-After, and read less often',
    retryAfterSeconds,
  },
  too_many_sign_ins: {
    status: 429,
    title: 'Too many sign-ins',
    detail: 'too many sign-ins came from this address: sign in after Retry-After',
    retryAfterSeconds,
  },
  precondition_required: {
    status: 428,
    title: 'The If-Match header is required',
    detail:
      'the If-Match header is missing: send the ETag of the job as you read it, or * to edit any version',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    detail: `the headers are too large: send at most ${headerBytesMax} bytes`,
  },
  internal: internalError,
  issuer_unavailable: {
    status: 503,
    title: 'The token issuer is unavailable',
    detail: 'the keys of the OpenID Connect issuer cannot be read: retry after Retry-After',
    retryAfterSeconds,
  },
  not_ready: {
    status: 503,
    title: 'The server is not ready',
    detail: 'the server is not ready: checks has the reason',
    retryAfterSeconds,
  },
  timeout: {
    status: 504,
    title: 'The request timed out',
    detail:
      'the response took too long, and a write may have taken effect: retry it with the same idempotency key',
  },
} as const satisfies Record<string, ProblemType>

/** Every problem type by its slug. */
export const problemTypes: Readonly<Record<ProblemSlug, ProblemType>> = { ...queueProblems, ...httpProblems }

export type ProblemSlug = keyof typeof queueProblems | keyof typeof httpProblems
