import type { ClaimedJob, PgConnection } from '@queue/core/internal'
import { QueueError } from '@queue/core'
import type { Logger } from '@queue/loop'
import { assertArguments, listOf, callback } from '@queue/loop/arguments'
import type { ExecutionContext } from './execution-context.ts'
import type { Executor } from './executor.ts'
import { failed, isOutcome, type Outcome } from './outcome.ts'
import { thrownOutcome } from './thrown-outcome.ts'

/** Members of the context that a middleware replaces for the rest of the attempt. */
export interface ContextChanges {
  /**
   * For example `AbortSignal.any([ctx.signal, ownSignal])`. Without `ctx.signal` the handler would not see the attempt's aborts.
   */
  readonly signal?: AbortSignal
  /** For example a logger that adds fields to each line. */
  readonly logger?: Logger
}

/**
 * Runs the rest of the attempt: the next middleware, or the handler. It resolves with the outcome and never rejects: an error
 * that the handler throws becomes an outcome (failed, cancelled or snoozed). It can be called once.
 */
export type Next = (changes?: ContextChanges) => Promise<Outcome>

/**
 * A function that runs around each attempt. It returns the outcome of `next()`, or its own, such as `snoozed(1_000)` without
 * calling `next`. Errors that it throws mean the same as in a handler, including `PermanentFailure`, `RetryAfter` and `Snooze`.
 */
export type Middleware<Tx = PgConnection> = (
  job: ClaimedJob,
  ctx: ExecutionContext<Tx>,
  next: Next,
) => Outcome | Promise<Outcome>

/** Wraps each attempt of `executor` in this middleware, the first outermost. Without middleware it returns `executor` itself. */
export function withMiddleware<Tx>(
  executor: Executor<Tx>,
  middleware: readonly Middleware<Tx>[],
): Executor<Tx> {
  assertArguments('middleware', { middleware: listOf(callback) }, [middleware])
  if (middleware.length === 0) return executor
  return {
    kinds: executor.kinds,
    definition: (kind) => executor.definition?.(kind),
    execute: (ctx, job) => runFrom(0, ctx, { executor, middleware, job }),
  }
}

interface Layers<Tx> {
  readonly executor: Executor<Tx>
  readonly middleware: readonly Middleware<Tx>[]
  readonly job: ClaimedJob
}

async function runFrom<Tx>(index: number, ctx: ExecutionContext<Tx>, layers: Layers<Tx>): Promise<Outcome> {
  const current = layers.middleware[index]
  if (current === undefined) return layers.executor.execute(ctx, layers.job)
  let wasCalled = false
  const next: Next = async (changes) => {
    if (wasCalled)
      throw new QueueError(
        'invalid_options',
        'next() was called twice: an attempt runs once, so call it once',
      )
    wasCalled = true
    return runFrom(index + 1, changes === undefined ? ctx : changedContext(ctx, changes), layers)
  }
  try {
    const returned: unknown = await current(layers.job, ctx, next)
    return isOutcome(returned) ? returned : failed(new TypeError(noOutcome))
  } catch (thrown) {
    return thrownOutcome(thrown, ctx.signal)
  }
}

const noOutcome = 'a middleware returned no outcome: return the result of next()'

/** Uses getters, because the context of a worker creates its signal and its logger only when they are read. */
function changedContext<Tx>(
  ctx: ExecutionContext<Tx>,
  { signal, logger }: ContextChanges,
): ExecutionContext<Tx> {
  return {
    leaseToken: ctx.leaseToken,
    attempt: ctx.attempt,
    traceparent: ctx.traceparent,
    transaction: (work) => ctx.transaction(work),
    progress: (percent, message) => ctx.progress(percent, message),
    log: (level, message, fields) => ctx.log(level, message, fields),
    get hiddenValues() {
      return ctx.hiddenValues
    },
    set hiddenValues(values) {
      ctx.hiddenValues = values
    },
    get signal() {
      return signal ?? ctx.signal
    },
    get aborted() {
      return signal === undefined ? ctx.aborted : signal.aborted
    },
    get logger() {
      return logger ?? ctx.logger
    },
  }
}
