import {
  type ClaimedJob,
  type ConnectedDatabase,
  defaultRetryPolicy,
  describeError,
  type Random,
  retryDelayMs,
  type PgClient,
  traceIdOf,
} from '@queue/core'
import type { Settlement } from '@queue/core/runtime'
import {
  AttemptAborted,
  type ExecutionContext,
  type Executor,
  failed,
  type Failed,
  type Outcome,
} from '@queue/executor'
import type pg from 'pg'
import type { Attempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import { mayPass } from '@queue/loop'
import { type LogFields, type Logger, withFields } from './logger.ts'
import type { AttemptOutcome, WorkerObserver } from './observer.ts'
import { progressOf } from './progress.ts'
import type { RunningTrace, Tracer } from './tracing.ts'
import { finishWith } from './transaction.ts'

export interface RunJobDeps {
  readonly database: ConnectedDatabase
  readonly executor: Executor<PgClient>
  readonly finisher: Finisher
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
  readonly random: Random
  readonly nowMs: () => number
  /** Milliseconds that an attempt may take when neither its job nor its kind says so; null = without end. */
  readonly jobTimeoutMs: number | null
  /** How long a handler may go on after its timeout before its attempt is recorded as failed without it. */
  readonly timeoutGraceMs: number
  readonly transactionPool: () => pg.Pool
  readonly workerId: () => string | undefined
  /** An attempt has to end by this instant, by `nowMs`. */
  readonly onDeadline: (deadlineMs: number) => void
  /** That attempt has ended, or was given up at its deadline. */
  readonly onDeadlineOver: (deadlineMs: number) => void
  /** The handler, or its grace, has taken so long. */
  readonly onDuration: (durationMs: number) => void
  /** Called when the handler has settled and its slot may take the next job. */
  readonly onSettled: (attempt: Attempt) => void
  /** Called with +1 when a handler outlives its timeout's grace, and with −1 when it settles at last. */
  readonly onZombie: (change: 1 | -1) => void
}

/**
 * One attempt, start to finish. Only this function decides which arrow to take. It gives what was recorded and never
 * throws: what goes wrong is logged, counted, and left to recovery.
 */
export async function runJob(attempt: Attempt, deps: RunJobDeps): Promise<AttemptOutcome> {
  const { job } = attempt
  const trace = deps.tracer.begin(job)
  const logger = withFields(deps.logger, fieldsOf(job, trace, deps.workerId()))
  const startedAtMs = deps.nowMs()
  const context = contextOf(attempt, trace, { ...deps, logger })
  const outcome = await settle(attempt, deps, () => trace.run(() => deps.executor.execute(context, job)))
  const durationMs = deps.nowMs() - startedAtMs
  deps.onDuration(durationMs)
  const seconds = durationMs / 1_000
  const recorded = await record(attempt, outcome, deps).catch((error: unknown) =>
    recordRefusal(attempt, error, { ...deps, logger }),
  )
  deps.observer.jobCompleted({ kind: job.kind, outcome: recorded, seconds })
  if (recorded === 'failed_permanent') deps.observer.jobBuried({ kind: job.kind })
  trace.ended({ outcome: recorded, ...(outcome.kind === 'failed' ? { error: outcome.error } : {}) })
  logEnd(logger, { outcome, recorded, seconds })
  return recorded
}

/** What every line about the attempt carries. */
function fieldsOf(job: ClaimedJob, { traceparent }: RunningTrace, workerId: string | undefined): LogFields {
  const about = { job_id: job.id, kind: job.kind, attempt: job.attempt, worker_id: workerId }
  const traceId = traceIdOf(traceparent)
  return traceId === undefined ? about : { ...about, trace_id: traceId }
}

/** Takes the arrow that the outcome asks for, and says what the database has made of it. */
async function record(attempt: Attempt, outcome: Outcome, deps: RunJobDeps): Promise<AttemptOutcome> {
  const { finisher } = deps
  const { lease } = attempt.job
  if (attempt.transaction === 'committed') return 'succeeded'
  if (attempt.release !== undefined) return said(await attempt.release, 'released', deps)
  if (attempt.abortReason === 'lease_lost') return 'lost'
  if (attempt.abortReason === 'shutdown' && outcome.kind !== 'succeeded') {
    return said(await finisher.release(lease), 'released', deps)
  }
  switch (outcome.kind) {
    case 'succeeded':
      return said(await finisher.succeed(lease, outcome.result), 'succeeded', deps)
    case 'failed':
      return said(
        await finisher.fail(lease, failureOf(attempt, outcome, deps)),
        ifFailed(attempt, outcome),
        deps,
      )
    case 'snoozed':
      return said(await finisher.snooze(lease, outcome.ms), 'snoozed', deps)
    case 'cancelled':
      return said(await finisher.cancel(lease), 'cancelled', deps)
  }
}

/**
 * The database answered, and refuses to record this end. Run once more without a charge, the attempt might be refused
 * for ever, so it fails instead. `error` when nothing at all could be recorded.
 */
async function recordRefusal(attempt: Attempt, refusal: unknown, deps: RunJobDeps): Promise<AttemptOutcome> {
  deps.logger.error('the end of the attempt could not be recorded', { error: refusal })
  if (mayPass(refusal)) return 'error'
  const error = new Error('the end of the attempt could not be recorded', { cause: refusal })
  return record(attempt, failed(error), deps).catch(() => 'error' as const)
}

/** The label of a settlement. A state that the arrow may have entered instead wins over the arrow's own name. */
function said(settlement: Settlement, expected: AttemptOutcome, deps: RunJobDeps): AttemptOutcome {
  if (settlement.outcome === 'lease_lost') {
    deps.observer.staleWriteRefused()
    return 'lost'
  }
  switch (settlement.status) {
    case 'cancelled':
    case 'failed_permanent':
      return settlement.status
    case 'retrying':
      return expected === 'failed_permanent' ? 'retrying' : expected
    default:
      return expected
  }
}

function ifFailed(attempt: Attempt, outcome: Failed): AttemptOutcome {
  return outcome.permanent || attempt.job.attempt >= attempt.job.maxAttempts ? 'failed_permanent' : 'retrying'
}

function failureOf(attempt: Attempt, outcome: Failed, deps: RunJobDeps) {
  const { job } = attempt
  const policy = job.retryPolicy ?? deps.executor.definition?.(job.kind)?.retryPolicy ?? defaultRetryPolicy
  return {
    error: describeError(outcome.error),
    waitMs: outcome.retryAfterMs ?? retryDelayMs(job.attempt, policy, deps.random),
    permanent: outcome.permanent,
  }
}

/**
 * What the attempt came to. A handler that ignores its timeout past the grace fails without being waited for; it
 * keeps its slot until it settles, because a retry beside it would run twice as many as there is room for.
 */
async function settle(attempt: Attempt, deps: RunJobDeps, execute: () => Promise<Outcome>): Promise<Outcome> {
  const timeout = startTimeout(attempt, deps)
  const execution = execute()
  const first = await Promise.race([execution, timeout.exceeded])
  timeout.clear()
  if (first !== 'exceeded') {
    leave(attempt, deps)
    return first
  }
  deps.onZombie(1)
  void execution.then(() => {
    deps.onZombie(-1)
    leave(attempt, deps)
  })
  return failed(new AttemptAborted('timeout'))
}

function leave(attempt: Attempt, deps: RunJobDeps): void {
  attempt.executing = false
  deps.onSettled(attempt)
}

interface Timeout {
  /** Resolves when the grace after the timeout has passed too; never, where there is no timeout. */
  readonly exceeded: Promise<'exceeded'>
  clear(): void
}

function startTimeout(attempt: Attempt, deps: RunJobDeps): Timeout {
  const { job } = attempt
  const timeoutMs = job.timeoutMs ?? deps.executor.definition?.(job.kind)?.timeoutMs ?? deps.jobTimeoutMs
  if (timeoutMs === null) return { exceeded: new Promise(() => undefined), clear: () => undefined }
  const deadlineMs = deps.nowMs() + timeoutMs + deps.timeoutGraceMs
  attempt.deadlineMs = deadlineMs
  deps.onDeadline(deadlineMs)
  let timer: NodeJS.Timeout
  const exceeded = new Promise<'exceeded'>((resolve) => {
    timer = setTimeout(() => {
      attempt.abort('timeout')
      timer = setTimeout(() => resolve('exceeded'), deps.timeoutGraceMs)
    }, timeoutMs)
  })
  const clear = (): void => {
    clearTimeout(timer)
    attempt.deadlineMs = undefined
    deps.onDeadlineOver(deadlineMs)
  }
  return { exceeded, clear }
}

function contextOf(
  attempt: Attempt,
  { traceparent }: RunningTrace,
  deps: RunJobDeps,
): ExecutionContext<PgClient> {
  return {
    signal: attempt.signal,
    logger: deps.logger,
    leaseToken: attempt.job.lease.token,
    attempt: attempt.job.attempt,
    traceparent,
    transaction: (work) => finishWith(attempt, deps, work),
    progress: (percent, message) => {
      attempt.progress = progressOf(percent, message)
    },
  }
}

interface AttemptEnd {
  readonly outcome: Outcome
  readonly recorded: AttemptOutcome
  readonly seconds: number
}

function logEnd(logger: Logger, { outcome, recorded, seconds }: AttemptEnd): void {
  const fields = { outcome: recorded, seconds }
  if (recorded === 'lost') logger.warn('the job was taken over: this attempt changed nothing', fields)
  else if (outcome.kind === 'failed') logger.warn('job failed', { ...fields, error: outcome.error })
  else logger.debug('job ended', fields)
}
