import { type JobDefinition, QueueError, type RetryPolicy } from '@queue/core'
import type { ClaimedJob } from '@queue/core/internal'
import type { ExecutionContext } from './execution-context.ts'
import type { Outcome } from './outcome.ts'

/** The defaults of a kind, for jobs that set no value of their own. Null: the worker's default. */
export interface AttemptDefaults {
  /** Milliseconds that an attempt may take before its signal aborts. */
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  /** JSON pointers to the payload values that no error, log or progress may show; absent or null: none are declared. */
  readonly sensitive?: readonly string[] | null
  /** The version of the payloads that the pointers belong to; absent: that of every job. */
  readonly version?: number
}

/**
 * Runs one attempt of a job. `Tx` is the type of the transaction that the runtime passes to handlers; an executor does not
 * use it.
 */
export interface Executor<Tx = unknown> {
  /**
   * The kinds that may be claimed for this executor; no job of another kind reaches `execute`. A plain name is the first version
   * of a kind, `invoice/2` the second.
   */
  readonly kinds: readonly string[]

  /** The definitions of its kinds, which its worker registers. Default: none. */
  readonly definitions?: readonly JobDefinition[]

  /**
   * Runs the attempt and resolves with its outcome. It never rejects: an error of the work is a failed outcome. Once
   * `ctx.signal` aborts, it settles as soon as the work can stop. After `lease_lost` its outcome is ignored; after `shutdown`
   * only a success counts.
   */
  execute(ctx: ExecutionContext<Tx>, job: ClaimedJob): Promise<Outcome>

  /**
   * The defaults of a kind; undefined if the executor has none. A job's own value takes precedence over them, and they over
   * the worker's.
   */
  definition?(kind: string): AttemptDefaults | undefined
}

/** The error for a job whose kind or kind version the executor does not have. */
export function unknownKind(name: string): QueueError {
  return new QueueError('unknown_kind', `this worker has no handler for jobs of the kind '${name}'`)
}
