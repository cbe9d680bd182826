import type { ClaimedJob } from '@queue/core/runtime'
import type { Logger } from '@queue/loop'
import type { ExecutionContext } from './execution-context.ts'
import type { Executor } from './executor.ts'
import { failed, isOutcome, type Outcome } from './outcome.ts'
import { thrownOutcome } from './thrown-outcome.ts'

/** What the rest of the attempt sees in place of what the middleware was given. */
export interface ContextChanges {
  /** Such as `AbortSignal.any([ctx.signal, mine])`: a signal of its own alone would hide the attempt's. */
  readonly signal?: AbortSignal
  /** Such as one that adds fields to each line. */
  readonly logger?: Logger
}

/**
 * Runs the rest of the attempt: the next middleware, at last the handler. It gives the outcome and never rejects: what the
 * handler throws is an outcome that has failed, been cancelled or snoozed. It can be called once.
 */
export type Next = (changes?: ContextChanges) => Promise<Outcome>

/**
 * What runs around each attempt. Return what `next()` gives, or an outcome of your own, such as `snoozed(1_000)` without a call of
 * `next`. What it throws means the same as in a handler: `PermanentFailure`, `RetryAfter` and `Snooze` are understood.
 */
export type Middleware<Tx = unknown> = (
  job: ClaimedJob,
  ctx: ExecutionContext<Tx>,
  next: Next,
) => Outcome | Promise<Outcome>

/** The executor with this middleware around each of its attempts, the first outermost; without any it is the executor itself. */
export function withMiddleware<Tx>(
  executor: Executor<Tx>,
  middleware: readonly Middleware<Tx>[],
): Executor<Tx> {
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
    if (wasCalled) throw new Error('next() was called twice: an attempt runs once')
    wasCalled = true
    return runFrom(index + 1, changes === undefined ? ctx : changed(ctx, changes), layers)
  }
  try {
    const returned: unknown = await current(layers.job, ctx, next)
    return isOutcome(returned) ? returned : failed(new TypeError(noOutcome))
  } catch (thrown) {
    return thrownOutcome(thrown, ctx.signal)
  }
}

const noOutcome = 'a middleware returned no outcome: return what next() gives'

/** The context of a worker makes its signal and its logger when they are read, and so does this. */
function changed<Tx>(ctx: ExecutionContext<Tx>, { signal, logger }: ContextChanges): ExecutionContext<Tx> {
  return {
    leaseToken: ctx.leaseToken,
    attempt: ctx.attempt,
    traceparent: ctx.traceparent,
    transaction: (work) => ctx.transaction(work),
    progress: (percent, message) => ctx.progress(percent, message),
    log: (level, message, fields) => ctx.log(level, message, fields),
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
