import type { PgClient } from '@queue/core'
import { type LogFields, type Logger, withFields } from '@queue/loop'
import type { ExecutionContext } from '@queue/executor'
import type { Attempt } from './attempt.ts'
import { progressOf } from './progress.ts'
import { finishWith, type TransactionDeps } from './transaction.ts'

export interface ContextOptions {
  /** What the handler passes on to the services that it calls. */
  readonly traceparent: string | null
  /** What each line of the handler's logger carries. */
  readonly logFields: LogFields
  readonly deps: TransactionDeps
}

/**
 * The `ctx` of a handler. Signal and logger are made on first use, because most handlers use neither. It is a class, so
 * that its getters are not made anew for each job.
 */
export class AttemptContext implements ExecutionContext<PgClient> {
  readonly leaseToken: number
  readonly attempt: number
  readonly traceparent: string | null
  // Bound, so that a handler may take them out of the context.
  readonly transaction: ExecutionContext<PgClient>['transaction']
  readonly progress: ExecutionContext<PgClient>['progress']
  readonly #attempt: Attempt
  readonly #logFields: LogFields
  readonly #deps: ContextOptions['deps']
  #logger: Logger | undefined

  constructor(attempt: Attempt, { traceparent, logFields, deps }: ContextOptions) {
    this.leaseToken = attempt.job.lease.token
    this.attempt = attempt.job.attempt
    this.traceparent = traceparent
    // V8 allocates a function that is written where it is assigned to a field among its old objects, where it would keep
    // the attempt and all that is the job's until the next collection of everything (docs/decisions/0041).
    const transaction: typeof this.transaction = (work) => finishWith(attempt, deps, work)
    const progress: typeof this.progress = (percent, message) => {
      attempt.progress = progressOf(percent, message)
    }
    this.transaction = transaction
    this.progress = progress
    this.#attempt = attempt
    this.#logFields = logFields
    this.#deps = deps
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  get aborted(): boolean {
    return this.#attempt.abortReason !== undefined
  }

  get logger(): Logger {
    this.#logger ??= withFields(this.#deps.logger, this.#logFields)
    return this.#logger
  }
}
