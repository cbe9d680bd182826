import type { ClaimedMessage } from '../domain/message.ts'

/** What one dispatch is given beside its message. */
export interface DispatchContext {
  /**
   * Aborts when the dispatch has taken `dispatchTimeout`, and at the end of the shutdown's grace. Its reason is a
   * `DispatchAborted`.
   */
  readonly signal: AbortSignal
  /** Grows with every claim of the message: hand it to systems that should refuse a superseded attempt. */
  readonly leaseToken: number
}

/** Where a relay delivers to. */
export interface OutboxTarget {
  /** The topics that it takes. Messages of other topics are left untouched, for a relay that has a place for them. */
  readonly topics: readonly string[]
  /**
   * Whose fault it is when a dispatch takes longer than `dispatchTimeout`. `failed` (default): the message's, whose
   * attempt has failed. `unavailable`: the target's, as when it throws `TargetUnavailable`.
   */
  readonly onTimeout?: 'failed' | 'unavailable'
  /**
   * Delivers one message: it has been taken when this resolves. The same message may come again, also while an earlier
   * dispatch of it that was given up is still under way. Rejects with `Undeliverable` where no further attempt can
   * help, with `TargetUnavailable` where the message is not to blame, with anything else where the attempt failed.
   */
  dispatch(message: ClaimedMessage, context: DispatchContext): Promise<void>
}
