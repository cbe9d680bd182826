import { assertArguments, object, optional, text } from '@queue/loop/arguments'
import { abortedOutcome } from './attempt-aborted.ts'
import { checkedWaitMs, failed, type Outcome, snoozed } from './outcome.ts'

/** Thrown by a handler whose job can never succeed: the job fails at once, even if attempts are left. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

/** Thrown by a handler that failed and knows when to retry, for example from a `Retry-After` header. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter'
  /** The wait before the next attempt in milliseconds. */
  readonly ms: number

  constructor(ms: number, message?: string, options?: ErrorOptions) {
    assertArguments('RetryAfter', { message: optional(text), options: optional(object) }, [message, options])
    const waitMs = checkedWaitMs(ms, options?.cause)
    super(message ?? `retry in ${ms} ms`, options)
    this.ms = waitMs
  }
}

/** Thrown by a handler that cannot do its work yet: the job runs again later, and this attempt is not charged. */
export class Snooze extends Error {
  override readonly name = 'Snooze'
  /** Milliseconds until the job runs again. */
  readonly ms: number

  constructor(ms: number) {
    const waitMs = checkedWaitMs(ms)
    super(`snoozed for ${ms} ms`)
    this.ms = waitMs
  }
}

/** How many causes of an error are followed, because a chain of causes may be circular. */
const causesMax = 10

/** The outcome of an attempt whose work threw `thrown`, which may be any value. Never throws. */
export function thrownOutcome(thrown: unknown, signal: AbortSignal): Outcome {
  try {
    if (thrown instanceof Snooze) return snoozed(thrown.ms)
    if (thrown instanceof PermanentFailure) return failed(thrown, { permanent: true })
    if (thrown instanceof RetryAfter) return failed(thrown, { retryAfterMs: thrown.ms })
    return signal.aborted && isAbort(thrown, signal) ? abortedOutcome(signal) : failed(thrown)
  } catch {
    // The thrown value is a proxy or has a getter that throws.
    return failed(thrown)
  }
}

/**
 * Whether `thrown` comes from the signal. `fetch` rejects with the signal's reason itself, Node's own functions with an
 * AbortError whose cause is the reason, and libraries wrap either.
 */
function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  let error = thrown
  for (let depth = 0; depth <= causesMax && isErrorLike(error); depth += 1) {
    if (error === signal.reason || error.name === 'AbortError') return true
    error = error.cause
  }
  return false
}

/** `instanceof Error` would not recognize errors of another realm, such as a vm context. */
function isErrorLike(value: unknown): value is { readonly name?: unknown; readonly cause?: unknown } {
  return typeof value === 'object' && value !== null
}
