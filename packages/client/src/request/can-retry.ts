import { ApiError } from '../api-error.ts'
import type { NetworkError } from '../network-error.ts'

/**
 * Whether a call that failed like this may be sent again. An idempotent call may also be retried if it is unknown whether
 * it took effect; any other call only if it certainly did not.
 */
export function canRetry(
  failure: ApiError | NetworkError,
  { idempotent }: { readonly idempotent: boolean },
): boolean {
  if (!mayHaveTakenEffect(failure)) return isTransient(failure)
  return idempotent
}

/** Whether the effect of a call that failed like this is unknown. A response below 500 means that it had none. */
export function mayHaveTakenEffect(failure: ApiError | NetworkError): boolean {
  if (!(failure instanceof ApiError)) return failure.reason !== 'unsent'
  return failure.status >= 500 && failure.error !== 'overloaded'
}

/** For a failure without effect: whether the same request may succeed later. */
function isTransient(failure: ApiError | NetworkError): boolean {
  if (!(failure instanceof ApiError)) return true
  return (
    failure.error === 'overloaded' ||
    failure.error === 'idempotency_key_locked' ||
    failure.error === 'unique_key_locked' ||
    failure.status === 408 ||
    // `too_many_waits` ends when another wait of this key ends, which may take as long as a job.
    (failure.status === 429 && failure.error !== 'too_many_waits')
  )
}
