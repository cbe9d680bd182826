import type { Logger } from '@queue/loop'

/** What the runtime gives to one attempt. */
export interface ExecutionContext<Tx = unknown> {
  /** Aborts when the attempt has to stop. Its `reason` is an `AttemptAborted`, which says why. */
  readonly signal: AbortSignal
  /** Whether `signal` has aborted. Asking this needs no signal, and making one costs as much as a small handler. */
  readonly aborted: boolean
  /** Writes lines that carry the job's id, kind and attempt. */
  readonly logger: Logger
  /** The fencing token of this claim: hand it to systems that should refuse a superseded attempt. */
  readonly leaseToken: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /**
   * The W3C `traceparent` to hand on with requests to others, so that their work shows up in the same trace: the
   * attempt's own where a tracing system is at work, else that of whoever enqueued the job; null when there is none.
   */
  readonly traceparent: string | null

  /**
   * Runs `fn` in a transaction that commits together with the finish of this attempt, so that its effects happen
   * exactly once. It can be called once per attempt, while the handler runs, and has to be awaited, as each statement in
   * it has to be: one that is still open when the handler ends is rolled back, and the attempt fails. Rejects, with nothing
   * written, when `fn` rejects or when the attempt has lost its job. When the attempt is told to stop, the transaction is
   * broken off at once, whatever statement of it is under way.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>

  /** Notes how far the work is, 0..100, for whoever reads the job. It costs no wait and never throws. */
  progress(percent: number, message?: string): void
}
