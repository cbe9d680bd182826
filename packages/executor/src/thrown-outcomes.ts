import { checkedWaitMs } from './wait-ms.ts'

/** Thrown by a handler whose job can never succeed: it ends at once, however many attempts are left. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

/** Thrown by a handler that failed and knows when the next attempt makes sense, say from a `Retry-After` field. */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter'
  /** The wait before the next attempt in milliseconds. */
  readonly ms: number

  constructor(ms: number, message = `to be tried again in ${ms} ms`, options?: ErrorOptions) {
    super(message, options)
    this.ms = checkedWaitMs(ms, options?.cause)
  }
}

/** Thrown by a handler whose time has not come: the job runs again later, and this attempt is not charged. */
export class Snooze extends Error {
  override readonly name = 'Snooze'
  /** Milliseconds until the job runs again. */
  readonly ms: number

  constructor(ms: number) {
    super(`snoozed for ${ms} ms`)
    this.ms = checkedWaitMs(ms)
  }
}
