import { QueueError, type RetryPolicy } from '@queue/core'
import type { ClaimedJob } from '@queue/core/runtime'
import type { ExecutionContext } from './execution-context.ts'
import type { Outcome } from './outcome.ts'

/** What a kind of job prescribes for its attempts where the job's row says nothing. Null: the worker decides. */
export interface AttemptDefaults {
  /** Milliseconds that an attempt may take before its signal aborts. */
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
}

/**
 * What runs one attempt of a job. `Tx` is the transaction that the runtime hands to handlers; an executor never
 * looks into it.
 */
export interface Executor<Tx = unknown> {
  /** The kinds that may be claimed for this executor; no job of another kind ever reaches `execute`. */
  readonly kinds: readonly string[]

  /**
   * Runs the attempt and says how it ended. It never rejects: an error of the work is a failed outcome. Once
   * `ctx.signal` aborts it settles as soon as the work can stop; after `lease_lost` and `shutdown` its outcome is
   * ignored, because the attempt is no longer its own.
   */
  execute(ctx: ExecutionContext<Tx>, job: ClaimedJob): Promise<Outcome>

  /**
   * The defaults of a kind, undefined when the executor has none to give. The order is: the job's own value, this
   * one, the worker's.
   */
  definition?(kind: string): AttemptDefaults | undefined
}

/** The fault of a job that an executor was given although its kind is none of the executor's. */
export function unknownKind(kind: string): QueueError {
  return new QueueError('unknown_kind', `there is no handler here for jobs of the kind '${kind}'`)
}
