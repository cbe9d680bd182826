import { AttemptAborted } from './attempt-aborted.ts'
import { cancelled, failed, type Outcome } from './outcome.ts'

/** How an attempt ends that stopped because `signal` aborted: cancelled after a cancel, else failed. */
export function abortedOutcome(signal: AbortSignal): Outcome {
  const reason: unknown = signal.reason
  return reason instanceof AttemptAborted && reason.reason === 'cancelled' ? cancelled() : failed(reason)
}
