import { traceIdOf } from '@queue/core/internal'
import type { ExecutionContext } from '@queue/executor'
import { type LogFields, type Logger, withFields } from '@queue/loop'
import type { Attempt } from './attempt.ts'
import type { AttemptHiddenValues } from './hidden-values.ts'
import type { JobLogs } from './job-logs.ts'
import { progressOf } from './progress.ts'
import { finishWith, type TransactionDeps } from './transaction.ts'

/** What the contexts of all attempts need of their worker. */
export interface ContextDeps {
  readonly execution: { readonly logs: JobLogs }
  readonly transactions: TransactionDeps
  readonly workerId: () => string | undefined
}

type Context = ExecutionContext

/**
 * The `ctx` of a handler. What most handlers do not use is created on first use: each attempt has a context, and the garbage
 * collector pays for what it holds. The methods are bound, so that a handler may destructure them.
 */
export class AttemptContext implements Context {
  readonly leaseToken: number
  readonly attempt: number
  readonly traceparent: string | null
  readonly #attempt: Attempt
  readonly #deps: ContextDeps
  /** The id under which the job was claimed; the worker may have another one later. */
  readonly #workerId: string | undefined
  #transaction: Context['transaction'] | undefined
  #progress: Context['progress'] | undefined
  #log: Context['log'] | undefined
  #logger: Logger | undefined
  #logFields: LogFields | undefined

  /** `traceparent`: of the attempt's own trace; undefined where it has none. */
  constructor(attempt: Attempt, traceparent: string | undefined, deps: ContextDeps) {
    const { job } = attempt
    this.leaseToken = job.lease.token
    this.attempt = job.attempt
    this.traceparent = traceparent ?? job.traceContext
    this.#attempt = attempt
    this.#deps = deps
    this.#workerId = deps.workerId()
  }

  get transaction(): Context['transaction'] {
    this.#transaction ??= transactionOf(this.#attempt, this.#deps.transactions)
    return this.#transaction
  }

  get progress(): Context['progress'] {
    this.#progress ??= progressOfAttempt(this.#attempt)
    return this.#progress
  }

  get log(): Context['log'] {
    this.#log ??= logOf(this.#attempt, this.#deps.execution.logs)
    return this.#log
  }

  get logger(): Logger {
    const { logger } = this.#deps.transactions
    this.#logger ??= withFields(this.#attempt.hidden?.logger(logger) ?? logger, this.logFields)
    return this.#logger
  }

  /** The fields of every log line about the attempt. */
  get logFields(): LogFields {
    this.#logFields ??= logFieldsOf(this.#attempt, this.#workerId, this.traceparent)
    return this.#logFields
  }

  get hiddenValues(): AttemptHiddenValues | undefined {
    return this.#attempt.hidden
  }

  set hiddenValues(values: AttemptHiddenValues | undefined) {
    this.#attempt.hidden = values
  }

  get signal(): AbortSignal {
    return this.#attempt.signal
  }

  get aborted(): boolean {
    return this.#attempt.abortReason !== undefined
  }
}

// Functions of their own: V8 allocates a function expression that is assigned directly to a field in its old generation, where
// it would keep the attempt and its job alive until the next full collection (docs/decisions/0041).

function transactionOf(attempt: Attempt, transactions: TransactionDeps): Context['transaction'] {
  return (work) => finishWith(attempt, transactions, work)
}

function progressOfAttempt(attempt: Attempt): Context['progress'] {
  return (percent, message) => {
    attempt.progress = progressOf(percent, attempt.shown(message))
  }
}

function logOf(attempt: Attempt, logs: JobLogs): Context['log'] {
  return (level, message, fields) => logs.of(attempt).add(level, message, fields)
}

function logFieldsOf({ job }: Attempt, workerId: string | undefined, traceparent: string | null): LogFields {
  const fields = { job_id: job.id, kind: job.kind, attempt: job.attempt, worker_id: workerId }
  const traceId = traceIdOf(traceparent)
  return traceId === undefined ? fields : { ...fields, trace_id: traceId }
}
