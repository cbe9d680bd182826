import type { LogFields, Logger, LogLevel } from '@queue/loop'

/** The `ctx` of a handler. */
export interface ExecutionContext<Tx = unknown> {
  /** Aborts when the attempt has to stop. Its `reason` is an `AttemptAborted`, which says why. */
  readonly signal: AbortSignal
  /** Whether `signal` has aborted. It makes no signal, which would cost as much as a small handler. */
  readonly aborted: boolean
  /** Writes lines that carry the job's id, kind and attempt. */
  readonly logger: Logger
  /** The fencing token of this claim. Pass it to systems that should refuse a superseded attempt. */
  readonly leaseToken: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /**
   * The W3C `traceparent` to send with requests to other services, so that their work shows up in the same trace: the
   * attempt's own with tracing, else that of the enqueuer; null when there is none.
   */
  readonly traceparent: string | null

  /**
   * Runs `fn` in a transaction that commits together with the finish of this attempt, so that its effects happen
   * exactly once. It can be called once per attempt, while the handler runs. Await it, and each statement in it: a
   * transaction that is still open when the handler ends is rolled back, and the attempt fails. Rejects, with nothing
   * written, when `fn` rejects or when the attempt has lost its lease. When the attempt is aborted, the transaction is rolled
   * back at once, even while a statement is under way.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>

  /** Reports how far the work is, 0..100; shown in the job. It does not wait and never throws. */
  progress(percent: number, message?: string): void

  /**
   * Keeps a line with the job, for whoever asks for its log. An attempt keeps 1 000 lines and 256 KiB; what comes beyond is
   * counted. It does not wait and never throws. Fields are JSON; callers without `payload:read` see both without the sensitive
   * values of the payload.
   */
  log(level: LogLevel, message: string, fields?: LogFields): void
}
