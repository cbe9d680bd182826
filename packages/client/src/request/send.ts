import { ApiError, toApiError } from '../api-error.ts'
import { retryAfterMsMax } from '../limits.ts'
import { NetworkError, type NetworkErrorReason } from '../network-error.ts'
import { isCallerError } from '../checked-calls.ts'
import { jobStatuses } from '../job-status.ts'
import { asThrown } from '../thrown.ts'
import type { Problem } from '../wire.ts'
import { deadlineSignal } from './deadline-signal.ts'
import { canRetry, mayHaveTakenEffect } from './can-retry.ts'
import { parseRetryAfterMs } from './retry-after.ts'
import { TokenError } from './fetch-token.ts'
import { retryDelayMs } from './retry-delay.ts'
import { sleep } from './sleep.ts'

/** The result of openapi-fetch: `data` of a response that is ok, `error` of any other. */
interface FetchResult<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/**
 * How a response of the API with a status below 300 is recognized: `job`, members of its body, of which `data` is a list,
 * `nothing` for 204, or `events` for a stream. A proxy or another server may respond with such a status too.
 */
export type Answer<Data> = 'job' | 'nothing' | 'events' | readonly (keyof Data & string)[]

export interface Call<Data> {
  /** The method and the path, for error messages. */
  readonly request: string
  readonly answer: Answer<Data>
  /** Whether sending it twice has the same effect as sending it once. If so, it is retried after a lost reply too. */
  readonly idempotent: boolean
  /** Aborts the call, as the client's own signal does. */
  readonly signal?: AbortSignal | undefined
  /** Makes one attempt. The signal ends that attempt. */
  readonly fetch: (attemptSignal: AbortSignal) => Promise<FetchResult<Data>>
}

export interface SendSettings {
  /** How many times a call may be retried. */
  readonly retries: number
  /** How long one attempt may take, in milliseconds, until its body has been read. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly random: () => number
}

export interface ApiResponse<Data> {
  readonly data: Data
  readonly headers: Headers
}

/**
 * Sends a call, and retries it until it succeeds or a retry is not possible.
 *
 * @throws ApiError if the response has a status of 400 or above, NetworkError if there is no response, and the reason of
 * a signal that aborts.
 */
export async function send<Data>(call: Call<Data>, settings: SendSettings): Promise<ApiResponse<Data>> {
  const signals = [settings.signal, call.signal].filter((signal) => signal !== undefined)
  let replyLost = false
  for (let failures = 1; ; failures += 1) {
    const outcome = await attempt(call, { timeoutMs: settings.timeoutMs, signals })
    if (!(outcome instanceof Error)) return outcome
    const retryAfterMs = outcome instanceof ApiError ? outcome.retryAfterMs : undefined
    const retryAfterTooLong = retryAfterMs !== undefined && retryAfterMs > retryAfterMsMax
    if (failures > settings.retries || retryAfterTooLong || !canRetry(outcome, call)) {
      if (outcome instanceof ApiError) outcome.afterLostReply = replyLost
      else outcome.attempts = failures
      throw outcome
    }
    replyLost ||= mayHaveTakenEffect(outcome)
    await sleep(retryDelayMs({ failures, retryAfterMs, random: settings.random }), signals)
  }
}

interface AttemptOptions {
  readonly timeoutMs: number
  readonly signals: readonly AbortSignal[]
}

async function attempt<Data>(
  call: Call<Data>,
  { timeoutMs, signals }: AttemptOptions,
): Promise<ApiResponse<Data> | ApiError | NetworkError> {
  for (const signal of signals) signal.throwIfAborted()
  const deadline = deadlineSignal(timeoutMs, signals)
  try {
    const { data, error, response } = await call.fetch(deadline.signal)
    if (!response.ok) return responseError(call.request, response, error)
    if (!isAnswer(call.answer, { data, response })) {
      const cause = new Error(
        `the response with status ${response.status} does not come from the API: a proxy may have sent it`,
      )
      return new NetworkError({ reason: 'unreadable', request: call.request, cause })
    }
    return { data: data as Data, headers: response.headers }
  } catch (cause) {
    for (const signal of signals) signal.throwIfAborted()
    if (cause instanceof TokenError) throw cause.cause
    if (isCallerError(cause)) throw cause
    const reason = deadline.expired() ? 'timeout' : failureReason(cause)
    return new NetworkError({ reason, request: call.request, cause })
  } finally {
    deadline[Symbol.dispose]()
  }
}

type Members = Readonly<Record<string, unknown>>

function isAnswer(answer: Answer<Members>, { data, response }: FetchResult<unknown>): boolean {
  if (answer === 'nothing') return response.status === 204
  if (answer === 'events')
    return response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (typeof data !== 'object' || data === null) return false
  if (answer === 'job') return isJob(data as Members)
  return answer.every(
    (member) =>
      Object.hasOwn(data, member) && (member !== 'data' || Array.isArray((data as Members)[member])),
  )
}

const uuidPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Whether this is a job. Many documents have an `id` and a `status`; whoever takes one for a job loses a job. */
function isJob({ id, status }: Members): boolean {
  return typeof id === 'string' && uuidPattern.test(id) && jobStatuses.some((known) => known === status)
}

function responseError(request: string, response: Response, body: unknown): ApiError {
  const { status, headers } = response
  const isProblem = typeof body === 'object' && body !== null && 'error' in body && 'detail' in body
  return toApiError({
    request,
    status,
    problem: isProblem ? (body as Problem) : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: parseRetryAfterMs(headers.get('retry-after'), Date.now()),
  })
}

/** The error codes of a connection that was never made. */
const noConnectionCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

function failureReason(thrown: unknown): NetworkErrorReason {
  const { name, cause } = asThrown(thrown)
  if (name === 'SyntaxError') return 'unreadable'
  return noConnectionCodes.has(asThrown(cause).code) ? 'unsent' : 'lost'
}
