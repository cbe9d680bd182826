import type { Problem } from './wire.ts'

export interface ApiErrorOptions {
  readonly status: number
  /** The body, if it is an `application/problem+json` body of the API. */
  readonly problem?: Problem | undefined
  readonly requestId?: string | undefined
  /** The `Retry-After` header of the response, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The method and the path of the request. */
  readonly request: string
}

/** The API, or a proxy in front of it, responded with a status of 400 or above. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** The error code. `unrecognized` if the response does not come from the API but, for example, from a proxy. */
  readonly error: Problem['error'] | 'unrecognized'
  /** One sentence about what is wrong with this request. */
  readonly detail: string
  /** Each fault of the input, with a JSON pointer to its place. Empty if the input is not the problem. */
  readonly issues: NonNullable<Problem['issues']>
  /** The permission that the caller lacks, if `error` is `forbidden`. */
  readonly permission: Problem['permission']
  /** The id of this request in the logs of the server. */
  readonly requestId: string | undefined
  /** How long the API asks the caller to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The whole body, if the response comes from the API. */
  readonly problem: Problem | undefined
  /** True if an earlier attempt of the same call got no response or a 5xx. That attempt may have taken effect. */
  afterLostReply = false

  constructor(options: ApiErrorOptions) {
    const { status, problem } = options
    const detail =
      problem?.detail ??
      `The response with status ${status} does not come from the API. A proxy may have sent it.`
    const issues = problem?.issues?.map(({ path, message }) => `${path}: ${message}`).join('; ')
    super(
      `${options.request}: ${status} ${problem?.error ?? 'unrecognized'}: ${issues ? `${detail} (${issues})` : detail}`,
    )
    this.status = status
    this.error = problem?.error ?? 'unrecognized'
    this.detail = detail
    this.issues = problem?.issues ?? []
    this.permission = problem?.permission
    this.requestId = options.requestId
    this.retryAfterMs = options.retryAfterMs
    this.problem = problem
  }
}

/**
 * 401: the token or key is missing, unknown, expired or revoked. If `token` is a function, the next call asks it for
 * another token.
 */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}

/** 403: the token or key lacks `permission`, or the request came from a page of another site. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}

/** 429: the key is over its rate limit or a concurrency limit; `error` says which. The request had no effect. */
export class TooManyRequestsError extends ApiError {
  override readonly name = 'TooManyRequestsError'
}

const errorClassByStatus: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthorizedError,
  403: ForbiddenError,
  429: TooManyRequestsError,
}

/** The error of a response, in the class for its status. */
export function toApiError(options: ApiErrorOptions): ApiError {
  return new (errorClassByStatus[options.status] ?? ApiError)(options)
}

/**
 * Whether a call that was repeated failed with this error only because an earlier attempt, whose reply was lost, had already done it.
 */
export function isDoneByLostAttempt(error: unknown, code: Problem['error']): boolean {
  return error instanceof ApiError && error.afterLostReply && error.error === code
}
