import type { JobCounter, UnbegunJob } from '@queue/core/internal'
import { AttemptAborted, failed, type Outcome } from '@queue/executor'
import type { Attempt } from './attempt.ts'
import { AttemptContext } from './attempt-context.ts'
import type { AttemptEndListener } from './attempt-end.ts'
import {
  type CompletionDeps,
  hasLastWrites,
  recordedOutcome,
  recordRefused,
  storeLastWrites,
  takeTransition,
} from './complete-attempt.ts'
import { execute, type ExecutionDeps } from './execution.ts'
import { hiddenValuesOf } from './hidden-values.ts'
import type { AttemptOutcome } from './observer.ts'
import type { Reporting } from './reporting.ts'
import type { TransactionDeps } from './transaction.ts'

/** The dependencies of an attempt, grouped by purpose. */
export interface RunJobDeps {
  readonly execution: ExecutionDeps
  readonly transactions: TransactionDeps
  readonly timeouts: TimeoutDeps
  readonly completion: CompletionDeps
  readonly reporting: Pick<Reporting, 'logger' | 'tracer'>
  readonly counter: Pick<JobCounter, 'started'>
  readonly onEnd: AttemptEndListener
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

/** Holds the attempt until its end; the runner implements it. */
export interface AttemptHolder {
  /** The handler ran for this long, or until its timeout and grace had passed. */
  onDuration(durationMs: number): void
  /** The handler has ended, so its slot may take the next job. */
  onHandlerEnd(attempt: Attempt): void
  /** +1 when a handler outlives its timeout and grace, −1 when it ends at last. */
  onZombie(change: 1 | -1): void
  /** The end of the attempt is recorded, or given up. Called once, as the last step. */
  onEnd(attempt: Attempt, outcome: AttemptOutcome): void
}

/**
 * Runs one attempt from start to finish: the handler under its timeout, then the one transition that its outcome requires.
 * Returns the recorded outcome and never throws: errors are logged, counted, and left to recovery. It is a single function with
 * few awaits because it runs for every job, and the garbage collector copies what each `async` function holds until the end
 * is recorded.
 */
export async function runJob(attempt: Attempt, deps: RunJobDeps): Promise<AttemptOutcome> {
  attempt.hidden = hiddenValuesOf(attempt.job, deps.execution.executor.definition?.(attempt.job.kind))
  const trace = deps.reporting.tracer.begin(attempt.job)
  const context = new AttemptContext(attempt, trace?.traceparent, deps)
  const startedAtMs = deps.nowMs()
  const timeout = startTimeout(attempt, deps)
  const execution =
    trace === undefined
      ? execute(attempt, context, deps.execution)
      : trace.run(executionOf(attempt, context, deps.execution))
  const settled = await (timeout === undefined ? execution : Promise.race([execution, timeout.exceeded]))
  timeout?.clear()
  // Before the slot is free: the next attempt begins in it at once, with whatever its handler does before it waits.
  const durationMs = deps.nowMs() - startedAtMs
  deps.holder.onDuration(durationMs)
  const outcome = withoutHiddenValues(
    attempt,
    settled === 'exceeded' ? keepSlotUntilDone(attempt, execution, deps) : endHandler(attempt, settled, deps),
  )
  let recorded: AttemptOutcome
  try {
    if (hasLastWrites(attempt)) await storeLastWrites(attempt, { deps: deps.completion, context })
    const transition = takeTransition(attempt, outcome, deps.completion)
    recorded =
      typeof transition === 'string'
        ? transition
        : recordedOutcome(await transition.completion, transition.name, deps.completion)
  } catch (refusal) {
    recorded = await recordRefused(attempt, outcome, { deps: deps.completion, context, refusal })
  }
  deps.onEnd({ attempt, context, trace, outcome, recorded, durationMs })
  deps.holder.onEnd(attempt, recorded)
  return recorded
}

// A function of its own, so that an attempt without a trace has no closure.
function executionOf(attempt: Attempt, context: AttemptContext, deps: ExecutionDeps): () => Promise<Outcome> {
  return () => execute(attempt, context, deps)
}

/** The outcome of the handler. From here on, nothing stores, logs or traces a sensitive value of the payload. */
function withoutHiddenValues(attempt: Attempt, outcome: Outcome): Outcome {
  return outcome.kind === 'failed' && attempt.hidden !== undefined
    ? { ...outcome, error: attempt.shown(outcome.error) }
    : outcome
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
  const timeoutMs = timeoutMsOf(attempt.job, deps)
  return timeoutMs === undefined ? undefined : timeoutAfter(timeoutMs, attempt, deps.timeouts)
}

function timeoutAfter(timeoutMs: number, attempt: Attempt, { timeoutGraceMs }: TimeoutDeps): Timeout {
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
