import { ApiError } from '../api-error.ts'
import type { NetworkError } from '../network-error.ts'

/**
 * `freely`: sent twice it does what it does once, as with every GET, and an enqueue by its idempotency key.
 * `unless_effective`: only after an answer or a failure that says that it had no effect.
 */
export type Repetition = 'freely' | 'unless_effective'

/** Whether a call that failed like this may be sent again. */
export function mayRepeat(failure: ApiError | NetworkError, repetition: Repetition): boolean {
  if (!mayHaveTakenEffect(failure)) return isTransient(failure)
  return repetition === 'freely'
}

/** Whether the effect of a call that failed like this is unknown. Answers below 500 say that there was none. */
export function mayHaveTakenEffect(failure: ApiError | NetworkError): boolean {
  if (!(failure instanceof ApiError)) return failure.reason !== 'unsent'
  return failure.status >= 500 && failure.error !== 'overloaded'
}

/** Of those that had no effect: whether the same request may fare better later. */
function isTransient(failure: ApiError | NetworkError): boolean {
  if (!(failure instanceof ApiError)) return true
  return (
    failure.error === 'overloaded' ||
    failure.error === 'idempotency_key_locked' ||
    failure.error === 'unique_key_locked' ||
    failure.status === 408 ||
    // Whoever waits for jobs already has to be answered first: that may take as long as a job.
    (failure.status === 429 && failure.error !== 'too_many_waits')
  )
}
