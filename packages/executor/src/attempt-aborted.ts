import { cancelled, failed, type Outcome } from './outcome.ts'

/** The reasons for which an attempt must stop before its work has ended. */
export const abortReasons = ['cancelled', 'timeout', 'lease_lost', 'shutdown'] as const

export type AbortReason = (typeof abortReasons)[number]

const messages = {
  cancelled: 'the job was cancelled',
  timeout: 'the attempt took longer than its timeout',
  lease_lost: 'the job now belongs to another worker',
  shutdown: 'the worker is shutting down',
} as const satisfies Record<AbortReason, string>

/** The `reason` of an attempt's AbortSignal. */
export class AttemptAborted extends Error {
  override readonly name = 'AttemptAborted'
  readonly reason: AbortReason

  /** The default message explains the reason. */
  constructor(reason: AbortReason, message: string = messages[reason]) {
    super(message)
    this.reason = reason
  }
}

/** The outcome of an attempt that stopped because `signal` aborted: cancelled after a cancel, otherwise failed. */
export function abortedOutcome(signal: AbortSignal): Outcome {
  const reason: unknown = signal.reason
  return reason instanceof AttemptAborted && reason.reason === 'cancelled' ? cancelled() : failed(reason)
}
