import type { Problem } from './wire.ts'

export interface ApiErrorOptions {
  readonly status: number
  /** The body, where it was `application/problem+json` of the API. */
  readonly problem?: Problem | undefined
  readonly requestId?: string | undefined
  /** Milliseconds that the answer asked to wait. */
  readonly retryAfterMs?: number | undefined
  /** What was asked: the method and the path. */
  readonly request: string
}

/** The API, or something in front of it, answered with a status of 400 or above. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** The slug to act upon; `unrecognized` when the answer was not one of the API, but of a proxy for example. */
  readonly error: Problem['error'] | 'unrecognized'
  /** What is wrong with this request, in a sentence. */
  readonly detail: string
  /** Everything that is wrong with the input, by JSON pointer; empty where that is not the problem. */
  readonly issues: NonNullable<Problem['issues']>
  /** What the caller would have to be allowed, where `error` is `forbidden`. */
  readonly permission: Problem['permission']
  /** By which the logs of the server know this request. */
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  /** The whole body, where it was one of the API. */
  readonly problem: Problem | undefined
  /** True when an earlier attempt of the same call got no answer or a 5xx: it may have taken effect. */
  afterLostReply = false

  constructor(options: ApiErrorOptions) {
    const { status, problem } = options
    const detail = problem?.detail ?? `The answer has status ${status} and is not one of the API.`
    const places = problem?.issues?.map(({ path, message }) => `${path}: ${message}`).join('; ')
    super(
      `${options.request}: ${status} ${problem?.error ?? 'unrecognized'}: ${places ? `${detail} (${places})` : detail}`,
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

/** 401: the token or key is missing, unknown, expired or revoked. A provider function is asked for another at the next call. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError'
}

/** 403: the token or key lacks `permission`, or the request came from a page of another site. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}

/** 429: more than the key may send, or have at once; `error` says which. Nothing was done. */
export class TooManyRequestsError extends ApiError {
  override readonly name = 'TooManyRequestsError'
}

const errorOfStatus: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthorizedError,
  403: ForbiddenError,
  429: TooManyRequestsError,
}

/** The error of an answer, in the class of its status. */
export function toApiError(options: ApiErrorOptions): ApiError {
  return new (errorOfStatus[options.status] ?? ApiError)(options)
}
