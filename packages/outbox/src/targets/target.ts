import type { ClaimedMessage } from '../domain/message.ts'

/** The context of one dispatch. */
export interface DispatchContext {
  /** Aborts after `dispatchTimeout`, and at the end of the shutdown's grace. Its reason is a `DispatchAborted`. */
  readonly signal: AbortSignal
  /** Grows with every claim of the message. Pass it to systems that should refuse a superseded attempt. */
  readonly leaseToken: number
}

/** The destination to which a relay delivers. */
export interface OutboxTarget {
  /** The topics that it accepts. Messages of other topics stay untouched, for another relay. */
  readonly topics: readonly string[]
  /**
   * The meaning of a dispatch that takes longer than `dispatchTimeout`. `failed` (default): the attempt of the message has
   * failed. `unavailable`: the target is unavailable, as if it had thrown `TargetUnavailable`.
   */
  readonly onTimeout?: 'failed' | 'unavailable'
  /**
   * Delivers one message. The message counts as delivered when this resolves. The same message may come again, even while an
   * earlier dispatch of it that timed out is still running. Rejects with `Undeliverable` if no further attempt can help, with
   * `TargetUnavailable` if the message is not to blame, and with any other error if the attempt failed.
   */
  dispatch(message: ClaimedMessage, context: DispatchContext): Promise<void>
}
