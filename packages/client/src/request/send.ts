import { ApiError, toApiError } from '../api-error.ts'
import { retryAfterMsMax } from '../limits.ts'
import { NetworkError, type NetworkErrorReason } from '../network-error.ts'
import { asThrown } from '../thrown.ts'
import type { Problem } from '../wire.ts'
import { deadlineSignal } from './deadline-signal.ts'
import { mayHaveTakenEffect, mayRepeat, type Repetition } from './may-repeat.ts'
import { parseRetryAfterMs } from './retry-after.ts'
import { TokenFailure } from './provided-token.ts'
import { retryDelayMs } from './retry-delay.ts'
import { sleep } from './sleep.ts'

/** What openapi-fetch makes of an answer. */
interface Fetched<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

export interface Call<Data> {
  /** The method and the path, for messages. */
  readonly request: string
  readonly repetition: Repetition
  /** What else may abort it, beside the client's own signal. */
  readonly signal?: AbortSignal | undefined
  /** One attempt. */
  readonly fetch: (signal: AbortSignal) => Promise<Fetched<Data>>
}

export interface SendSettings {
  readonly retries: number
  /** Milliseconds that one attempt may take, its body included. */
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly random: () => number
}

export interface Answer<Data> {
  readonly data: Data
  readonly headers: Headers
}

/**
 * Sends a call until it is answered, or may not be sent again.
 *
 * @throws ApiError on an answer of 400 and above, NetworkError without one, and the reason of a signal that aborts.
 */
export async function send<Data>(call: Call<Data>, settings: SendSettings): Promise<Answer<Data>> {
  const signals = [settings.signal, call.signal].filter((signal) => signal !== undefined)
  let lostReply = false
  for (let failures = 1; ; failures += 1) {
    const outcome = await attempt(call, { timeoutMs: settings.timeoutMs, signals })
    if (!(outcome instanceof Error)) return outcome
    const retryAfterMs = outcome instanceof ApiError ? outcome.retryAfterMs : undefined
    const tooLong = retryAfterMs !== undefined && retryAfterMs > retryAfterMsMax
    if (failures > settings.retries || tooLong || !mayRepeat(outcome, call.repetition)) {
      if (outcome instanceof ApiError) outcome.afterLostReply = lostReply
      else outcome.attempts = failures
      throw outcome
    }
    lostReply ||= mayHaveTakenEffect(outcome)
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
): Promise<Answer<Data> | ApiError | NetworkError> {
  for (const signal of signals) signal.throwIfAborted()
  const deadline = deadlineSignal(timeoutMs, signals)
  try {
    const { data, error, response } = await call.fetch(deadline.signal)
    if (!response.ok) return apiErrorOf(call.request, response, error)
    return { data: data as Data, headers: response.headers }
  } catch (cause) {
    for (const signal of signals) signal.throwIfAborted()
    if (cause instanceof TokenFailure) throw cause.cause
    if (isMistake(cause)) throw cause
    const reason = deadline.expired() ? 'timeout' : reasonOf(cause)
    return new NetworkError({ reason, request: call.request, cause })
  } finally {
    deadline[Symbol.dispose]()
  }
}

function apiErrorOf(request: string, response: Response, body: unknown): ApiError {
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

/** fetch gives its failures a cause; a TypeError without one is a body or a header that cannot be sent at all. */
function isMistake(thrown: unknown): boolean {
  const { name, cause } = asThrown(thrown)
  return name === 'TypeError' && cause === undefined
}

/** Failures of a connection that was never made. */
const unsentCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
])

function reasonOf(thrown: unknown): NetworkErrorReason {
  const { name, cause } = asThrown(thrown)
  if (name === 'SyntaxError') return 'unreadable'
  return unsentCodes.has(asThrown(cause).code) ? 'unsent' : 'lost'
}
