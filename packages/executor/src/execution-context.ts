import type { PgConnection } from '@queue/core/internal'
import type { LogFields, Logger, LogLevel } from '@queue/loop'
import type { HiddenValues } from './hidden-values.ts'

/** The `ctx` of a handler. */
export interface ExecutionContext<Tx = PgConnection> {
  /** Aborts when the attempt must stop. Its `reason` is an `AttemptAborted`, which says why. */
  readonly signal: AbortSignal
  /**
   * Whether `signal` has aborted. Reading it is cheap; reading `signal` creates a signal, which costs as much as a small handler.
   */
  readonly aborted: boolean
  /** Writes log lines that carry the job's id, kind and attempt. */
  readonly logger: Logger
  /** The fencing token of this claim. Pass it to systems that should refuse a superseded attempt. */
  readonly leaseToken: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /**
   * The W3C `traceparent` to send with requests to other services, so that their work appears in the same trace. With tracing
   * it is the attempt's own, otherwise that of the enqueue; null if there is none.
   */
  readonly traceparent: string | null

  /**
   * Runs `fn` in a transaction that commits together with the finish of this attempt, so that its effects happen exactly once.
   * It can be called once per attempt, while the handler runs. Await it and each statement in it: a transaction that is still
   * open when the handler ends is rolled back, and the attempt fails. Rejects, with nothing written, if `fn` rejects or the
   * attempt has lost its lease. If the attempt is aborted, the transaction is rolled back at once, even while a statement runs.
   *
   * The value that `fn` returns is the result of the job, stored by the same COMMIT. Write `return ctx.transaction(async (tx) =>
   * { …; return value })`: a value that the handler returns afterwards is not stored, and the worker warns about it.
   */
  transaction<T>(fn: (tx: Tx) => Promise<T>): Promise<T>

  /**
   * Reports the progress of the work, 0..100; the job shows it. It does not wait and never throws. The sensitive values of the
   * payload are hidden in the message before it is stored.
   */
  progress(percent: number, message?: string): void

  /**
   * Adds a line to the job's log. An attempt keeps 1 000 lines and 256 KiB; further lines are only counted. It does not wait
   * and never throws. Fields are JSON. The sensitive values of the payload are hidden in message and fields before they are stored.
   */
  log(level: LogLevel, message: string, fields?: LogFields): void

  /**
   * For executors, which add the payload as they have parsed it. The worker hides its sensitive values in what the attempt
   * stores and logs. Attempts that share one call share one object.
   */
  hiddenValues?: HiddenValues | undefined
}
