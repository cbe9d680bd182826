import type { PgClient } from '@queue/core'
import { traceIdOf } from '@queue/core/fields'
import type { CountedEnd, JobCounter, UnbegunJob } from '@queue/core/runtime'
import { AttemptAborted, type ExecutionContext, failed, type Outcome } from '@queue/executor'
import { type LogFields, type Logger, withFields } from '@queue/loop'
import type { Attempt } from './attempt.ts'
import { type CompletionDeps, completeAttempt } from './complete-attempt.ts'
import { execute, type ExecutionDeps } from './execution.ts'
import type { JobLogs } from './job-logs.ts'
import { type AttemptHiddenValues, hiddenValuesOf } from './hidden-values.ts'
import type { AttemptOutcome } from './observer.ts'
import type { Reporting } from './reporting.ts'
import { progressOf } from './progress.ts'
import type { RunningTrace } from './tracing.ts'
import { finishWith, type TransactionDeps } from './transaction.ts'

/** The dependencies of an attempt, grouped by purpose. */
export interface RunJobDeps {
  readonly execution: ExecutionDeps
  readonly transactions: TransactionDeps
  readonly timeouts: TimeoutDeps
  readonly completion: CompletionDeps
  readonly reporting: Reporting
  readonly counter: Pick<JobCounter, 'started' | 'ended'>
  readonly holder: AttemptHolder
  readonly workerId: () => string | undefined
  readonly nowMs: () => number
}

/** The timeouts of attempts. */
export interface TimeoutDeps {
  /** Milliseconds that an attempt may take if neither its job nor its kind sets a timeout; 0 = no limit. */
  readonly jobTimeoutMs: number
  /** How long a handler may run past its timeout before its attempt is recorded as failed. */
  readonly timeoutGraceMs: number
}

/** Counts running handlers; the runner implements it. */
export interface AttemptHolder {
  /** The handler ran for this long, or until its timeout and grace had passed. */
  onDuration(durationMs: number): void
  /** The handler has ended, so its slot may take the next job. */
  onHandlerEnd(attempt: Attempt): void
  /** +1 when a handler outlives its timeout and grace, −1 when it ends at last. */
  onZombie(change: 1 | -1): void
}

/**
 * Runs one attempt from start to finish: the handler under its timeout, then the one transition that its outcome requires.
 * Returns the recorded outcome and never throws: errors are logged, counted, and left to recovery. It is a single function with
 * few awaits because it runs for every job, and the garbage collector copies what each `async` function holds until the end
 * is recorded.
 */
export async function runJob(attempt: Attempt, deps: RunJobDeps): Promise<AttemptOutcome> {
  const { job } = attempt
  attempt.hidden = hiddenValuesOf(job, deps.execution.executor.definition?.(job.kind))
  const { logger, observer, tracer } = deps.reporting
  const trace = tracer.begin(job)
  const logFields = fieldsOf(job, trace, deps.workerId())
  const startedAtMs = deps.nowMs()
  const timeout = startTimeout(attempt, deps)
  const { traceparent } = trace
  const { logs } = deps.execution
  const context = new AttemptContext(attempt, { traceparent, logFields, logs, deps: deps.transactions })
  const execution = trace.run(() => execute(attempt, context, deps.execution))
  const outcomeOrTimeout = await (timeout === undefined
    ? execution
    : Promise.race([execution, timeout.exceeded]))
  timeout?.clear()
  const outcome = shownOutcome(
    attempt,
    outcomeOrTimeout === 'exceeded'
      ? keepSlotUntilDone(attempt, execution, deps)
      : endHandler(attempt, outcomeOrTimeout, deps),
  )
  const durationMs = deps.nowMs() - startedAtMs
  deps.holder.onDuration(durationMs)
  const recorded = await completeAttempt(attempt, outcome, { deps: deps.completion, logFields })
  const end = { outcome, recorded, seconds: durationMs / 1_000 }
  observer.jobCompleted({ kind: job.kind, queue: job.queue, outcome: recorded, seconds: end.seconds })
  const countedEnd = countedEnds[recorded]
  if (countedEnd !== undefined)
    deps.counter.ended(job, {
      how: countedEnd,
      atMs: job.claimedAt.getTime() + durationMs,
      runMs: durationMs,
    })
  if (recorded === 'failed_permanent') observer.jobDeadLettered({ kind: job.kind })
  trace.ended(outcome.kind === 'failed' ? { outcome: recorded, error: outcome.error } : { outcome: recorded })
  logEnd(logger, logFields, end)
  return recorded
}

/**
 * How each outcome is counted. A job returned uncharged has not ended, and the worker that recovered a lost attempt counted it.
 */
const countedEnds: Readonly<Partial<Record<AttemptOutcome, CountedEnd>>> = {
  succeeded: 'succeeded',
  retrying: 'retried',
  failed_permanent: 'failed',
  cancelled: 'cancelled',
}

/** The fields of every log line about the attempt. */
function fieldsOf(job: UnbegunJob, { traceparent }: RunningTrace, workerId: string | undefined): LogFields {
  const logFields = { job_id: job.id, kind: job.kind, attempt: job.attempt, worker_id: workerId }
  const traceId = traceIdOf(traceparent)
  return traceId === undefined ? logFields : { ...logFields, trace_id: traceId }
}

function endHandler(attempt: Attempt, outcome: Outcome, deps: RunJobDeps): Outcome {
  attempt.executing = false
  const { transaction } = attempt
  const finalOutcome = transaction === undefined ? outcome : transaction.outcomeAfter(outcome)
  deps.holder.onHandlerEnd(attempt)
  if (transaction?.hasOtherResult(outcome) === true) {
    const { id: job_id, kind } = attempt.job
    deps.reporting.logger.warn(resultAfterTransaction, {
      code: 'result_after_transaction',
      job_id,
      kind,
      attempt: attempt.job.attempt,
    })
  }
  return finalOutcome
}

const resultAfterTransaction =
  'the handler returned another value than its transaction, which is the result of the job: ' +
  'write `return ctx.transaction(async (tx) => { …; return value })`'

/**
 * The outcome of a handler that runs past its timeout and grace. The attempt fails at once, and the handler keeps its slot until
 * it settles. Otherwise such handlers and the retries of their jobs would together exceed the concurrency.
 */
function keepSlotUntilDone(attempt: Attempt, execution: Promise<Outcome>, deps: RunJobDeps): Outcome {
  attempt.transaction?.abort(new AttemptAborted('timeout'))
  deps.holder.onZombie(1)
  void execution.then((outcome) => {
    deps.holder.onZombie(-1)
    endHandler(attempt, outcome, deps)
  })
  return failed(new AttemptAborted('timeout'))
}

interface Timeout {
  /** Resolves when the grace after the timeout has passed too. */
  readonly exceeded: Promise<'exceeded'>
  clear(): void
}

/** Starts the timeout of the attempt; undefined if it has none. */
function startTimeout(attempt: Attempt, deps: RunJobDeps): Timeout | undefined {
  const { timeoutGraceMs } = deps.timeouts
  const timeoutMs = timeoutMsOf(attempt.job, deps)
  if (timeoutMs === undefined) return undefined
  let timer: NodeJS.Timeout
  const exceeded = new Promise<'exceeded'>((resolve) => {
    timer = setTimeout(() => {
      attempt.abort('timeout')
      timer = setTimeout(() => resolve('exceeded'), timeoutGraceMs)
    }, timeoutMs)
  })
  return { exceeded, clear: () => clearTimeout(timer) }
}

/** The timeout of the job, of its kind, or of the worker, whichever is set first; undefined if none is. */
function timeoutMsOf(job: UnbegunJob, { execution, timeouts }: RunJobDeps): number | undefined {
  const declared = job.timeoutMs ?? execution.executor.definition?.(job.kind)?.timeoutMs
  return declared ?? (timeouts.jobTimeoutMs === 0 ? undefined : timeouts.jobTimeoutMs)
}

interface AttemptEnd {
  readonly outcome: Outcome
  readonly recorded: AttemptOutcome
  readonly seconds: number
}

/** From here on, nothing stores, logs or traces a sensitive value of the payload. */
function shownOutcome(attempt: Attempt, outcome: Outcome): Outcome {
  return outcome.kind === 'failed' && attempt.hidden !== undefined
    ? { ...outcome, error: attempt.shown(outcome.error) }
    : outcome
}

function logEnd(logger: Logger, logFields: LogFields, end: AttemptEnd): void {
  const { outcome, recorded, seconds } = end
  const fields = { ...logFields, outcome: recorded, seconds }
  if (recorded === 'lost') logger.warn('the job was taken over: this attempt changed nothing', fields)
  else if (outcome.kind === 'failed') logger.warn('job failed', { ...fields, error: outcome.error })
  else logger.debug('job ended', fields)
}

interface ContextOptions {
  /** The `traceparent` for the services that the handler calls. */
  readonly traceparent: string | null
  /** The fields of each line of the handler's logger. */
  readonly logFields: LogFields
  readonly logs: JobLogs
  readonly deps: TransactionDeps
}

/**
 * The `ctx` of a handler. Signal, logger and log are created on first use, because most handlers use none. It is a class so
 * that its getters are not created again for each job.
 */
class AttemptContext implements ExecutionContext<PgClient> {
  readonly leaseToken: number
  readonly attempt: number
  readonly traceparent: string | null
  // Bound, so that a handler may destructure them from the context.
  readonly transaction: ExecutionContext<PgClient>['transaction']
  readonly progress: ExecutionContext<PgClient>['progress']
  readonly #attempt: Attempt
  readonly #logFields: LogFields
  readonly #logs: JobLogs
  readonly #deps: ContextOptions['deps']
  #logger: Logger | undefined
  #log: ExecutionContext<PgClient>['log'] | undefined

  constructor(attempt: Attempt, { traceparent, logFields, logs, deps }: ContextOptions) {
    this.leaseToken = attempt.job.lease.token
    this.attempt = attempt.job.attempt
    this.traceparent = traceparent
    // Assigned by way of constants: V8 allocates a function expression that is assigned directly to a field in its old
    // generation. There it would keep the attempt and its job alive until the next full collection (docs/decisions/0041).
    const transaction: typeof this.transaction = (work) => finishWith(attempt, deps, work)
    const progress: typeof this.progress = (percent, message) => {
      attempt.progress = progressOf(percent, attempt.shown(message))
    }
    this.transaction = transaction
    this.progress = progress
    this.#attempt = attempt
    this.#logFields = logFields
    this.#logs = logs
    this.#deps = deps
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

  // Bound, and created on first use: an attempt that never logs pays nothing.
  get log(): ExecutionContext<PgClient>['log'] {
    this.#log ??= (level, message, fields) => this.#logs.of(this.#attempt).add(level, message, fields)
    return this.#log
  }

  get logger(): Logger {
    const { hidden } = this.#attempt
    this.#logger ??= withFields(hidden?.logger(this.#deps.logger) ?? this.#deps.logger, this.#logFields)
    return this.#logger
  }
}
