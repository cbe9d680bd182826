import { type ConnectedDatabase, type PgClient, QueueError } from '@queue/core'
import {
  type ClaimedJob,
  defaultRetryPolicy,
  describeError,
  isRefusal,
  type Random,
  retryDelayMs,
  type Settlement,
  sqlStateOf,
  traceIdOf,
  type UnbegunJob,
} from '@queue/core/runtime'
import { AttemptAborted, type Executor, failed, type Failed, type Outcome } from '@queue/executor'
import type { Attempt } from './attempt.ts'
import { AttemptContext } from './attempt-context.ts'
import type { Finisher } from './finisher.ts'
import { mayPass } from '@queue/loop'
import type { LogFields, Logger } from './logger.ts'
import type { AttemptOutcome, WorkerObserver } from './observer.ts'
import type { Payloads } from './payloads.ts'
import type { ProgressReports } from './progress-reports.ts'
import type { RefusedEnds } from './refused-ends.ts'
import type { RunningTrace, Tracer } from './tracing.ts'
import type { TransactionPool } from './transaction-pool.ts'

export interface RunJobDeps {
  readonly database: ConnectedDatabase
  readonly executor: Executor<PgClient>
  readonly payloads: Payloads
  readonly finisher: Finisher
  readonly refusedEnds: RefusedEnds
  readonly reports: ProgressReports
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
  readonly random: Random
  readonly nowMs: () => number
  /** Milliseconds that an attempt may take when neither its job nor its kind says so; null = without end. */
  readonly jobTimeoutMs: number | null
  /** How long a handler may go on after its timeout before its attempt is recorded as failed without it. */
  readonly timeoutGraceMs: number
  readonly transactions: TransactionPool
  readonly queryTimeoutMs: number
  readonly leaseMs: number
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
 * throws: what goes wrong is logged, counted, and left to recovery. It is one function with few awaits because it runs
 * for every job: what each `async` function keeps until a job's end is recorded is what the garbage collector copies.
 */
export async function runJob(attempt: Attempt, deps: RunJobDeps): Promise<AttemptOutcome> {
  const { job } = attempt
  const trace = deps.tracer.begin(job)
  const about = fieldsOf(job, trace, deps.workerId())
  const startedAtMs = deps.nowMs()
  const timeout = startTimeout(attempt, deps)
  const context = new AttemptContext(attempt, { traceparent: trace.traceparent, about, deps })
  const execution = trace.run(() => execute(attempt, context, deps))
  const ended = await (timeout === undefined ? execution : Promise.race([execution, timeout.exceeded]))
  timeout?.clear()
  const outcome = ended === 'exceeded' ? leaveLater(attempt, execution, deps) : leave(attempt, ended, deps)
  const durationMs = deps.nowMs() - startedAtMs
  deps.onDuration(durationMs)
  const recorded = await record(attempt, outcome, { deps, about })
  const end = { outcome, recorded, seconds: durationMs / 1_000 }
  deps.observer.jobCompleted({
    kind: job.kind,
    queue: job.queue,
    outcome: recorded,
    seconds: end.seconds,
  })
  if (recorded === 'failed_permanent') deps.observer.jobBuried({ kind: job.kind })
  trace.ended(outcome.kind === 'failed' ? { outcome: recorded, error: outcome.error } : { outcome: recorded })
  logEnd(deps.logger, about, end)
  return recorded
}

/** Runs the handler, once the payload is there. */
function execute(attempt: Attempt, context: AttemptContext, deps: RunJobDeps): Promise<Outcome> {
  const { job } = attempt
  return isWhole(job) ? deps.executor.execute(context, job) : executeWhole(attempt, context, deps)
}

function isWhole(job: UnbegunJob): job is ClaimedJob {
  return job.payload !== undefined
}

/** Reads what was too large for the claim. A job whose payload cannot be had goes back uncharged: it has not begun. */
async function executeWhole(attempt: Attempt, context: AttemptContext, deps: RunJobDeps): Promise<Outcome> {
  const { job } = attempt
  const read = await deps.payloads.read(job.lease).catch((error: unknown) => failed(error))
  if (read === undefined) {
    attempt.abort('lease_lost')
    return failed(new AttemptAborted('lease_lost'))
  }
  if ('kind' in read) {
    attempt.release ??= deps.finisher.release(job.lease)
    return read
  }
  return deps.executor.execute(context, { ...job, payload: read.payload })
}

/** What every line about the attempt carries. */
function fieldsOf(job: UnbegunJob, { traceparent }: RunningTrace, workerId: string | undefined): LogFields {
  const about = { job_id: job.id, kind: job.kind, attempt: job.attempt, worker_id: workerId }
  const traceId = traceIdOf(traceparent)
  return traceId === undefined ? about : { ...about, trace_id: traceId }
}

/** Takes the arrow that the outcome asks for, and gives what the database has made of it. Never throws. */
async function record(
  attempt: Attempt,
  outcome: Outcome,
  { deps, about }: { readonly deps: RunJobDeps; readonly about: LogFields },
): Promise<AttemptOutcome> {
  try {
    if (attempt.progress !== undefined) await reportLast(attempt, { deps, about })
    const arrow = takeArrow(attempt, outcome, deps)
    return typeof arrow === 'string' ? arrow : said(await arrow.settlement, arrow.name, deps)
  } catch (refusal) {
    return recordRefused(attempt, outcome, { deps, about, refusal })
  }
}

/** What was reported since the last look: afterwards it could not be stored any more. It must not cost the end. */
async function reportLast(
  attempt: Attempt,
  { deps, about }: { readonly deps: RunJobDeps; readonly about: LogFields },
): Promise<void> {
  await deps.reports
    .write(attempt)
    .catch((error: unknown) => deps.logger.warn('the last progress could not be stored', { ...about, error }))
}

interface Refused {
  readonly deps: RunJobDeps
  readonly about: LogFields
  readonly refusal: unknown
}

/**
 * The database answered, and refuses to record this end. The worker keeps it then: nobody else knows how the attempt has
 * ended, and to run the job again would repeat its effects. `error` when it had to be given up.
 */
async function recordRefused(
  attempt: Attempt,
  outcome: Outcome,
  { deps, about, refusal }: Refused,
): Promise<AttemptOutcome> {
  if (mayPass(refusal)) {
    deps.logger.error('the end of the attempt could not be recorded', { ...about, error: refusal })
    return 'error'
  }
  deps.logger.error('the end of the attempt is refused by the database: it is kept, and tried again', {
    ...about,
    error: refusal,
  })
  const failedInstead = await failInstead(attempt, refusal, deps).catch(() => undefined)
  if (failedInstead !== undefined) return failedInstead
  return deps.refusedEnds.keep(async (finisher) => {
    const again = { ...deps, finisher }
    if (attempt.release !== undefined) attempt.release = finisher.release(attempt.job.lease)
    try {
      const arrow = takeArrow(attempt, outcome, again)
      return typeof arrow === 'string' ? arrow : said(await arrow.settlement, arrow.name, deps)
    } catch (error) {
      const instead = await failInstead(attempt, error, again)
      if (instead === undefined) throw error
      return instead
    }
  })
}

/**
 * A failure in place of an end that can never be recorded: a check or trigger does not want this very row. Run once more
 * without a charge, the attempt might be refused for ever. Undefined where it is not the row that is refused. Throws
 * what the failure is refused with.
 */
async function failInstead(
  attempt: Attempt,
  refusal: unknown,
  deps: RunJobDeps,
): Promise<AttemptOutcome | undefined> {
  const isOfDatabase = sqlStateOf(refusal) !== undefined || refusal instanceof QueueError
  if (isOfDatabase && !isRefusal(refusal)) return undefined
  const error = new Error('the end of the attempt could not be recorded', { cause: refusal })
  const arrow = takeArrow(attempt, failed(error), deps)
  return typeof arrow === 'string' ? arrow : said(await arrow.settlement, arrow.name, deps)
}

/** A write on its way, and what it comes to unless the job was in another state than its attempt knew. */
interface Arrow {
  readonly settlement: Promise<Settlement>
  readonly name: AttemptOutcome
}

/** The arrow for this outcome; its name alone where nothing is left to write. */
function takeArrow(attempt: Attempt, outcome: Outcome, deps: RunJobDeps): Arrow | AttemptOutcome {
  const { finisher } = deps
  const { lease } = attempt.job
  const state = attempt.transaction?.state
  if (state === 'committed') return 'succeeded'
  if (state === 'committing' || state === 'unknown') return takeUnknown(attempt, outcome, deps)
  if (attempt.release !== undefined) return { settlement: attempt.release, name: 'released' }
  if (attempt.abortReason === 'lease_lost') return 'lost'
  if (attempt.abortReason === 'shutdown' && outcome.kind !== 'succeeded') {
    return { settlement: finisher.release(lease), name: 'released' }
  }
  switch (outcome.kind) {
    case 'succeeded':
      return { settlement: finisher.succeed(lease, outcome.result), name: 'succeeded' }
    case 'failed':
      return {
        settlement: finisher.fail(lease, failureOf(attempt, outcome, deps)),
        name: ifFailed(attempt, outcome),
      }
    case 'snoozed':
      return { settlement: finisher.snooze(lease, outcome.ms), name: 'snoozed' }
    case 'cancelled':
      return { settlement: finisher.cancel(lease), name: 'cancelled' }
  }
}

/**
 * The reply of a COMMIT was lost, or is waited for beyond the timeout. Until its transaction has ended one way or the
 * other it holds the row of the job: a failure waits for that, and is recorded only if it was rolled back. The answer
 * to a second finish tells apart the other two ways, committed and lost.
 */
function takeUnknown(attempt: Attempt, outcome: Outcome, deps: RunJobDeps): Arrow {
  const { finisher } = deps
  const { lease } = attempt.job
  const failure = outcome.kind === 'failed' ? outcome : failed(new Error(unknownCommit))
  const settle = async (): Promise<Settlement> => {
    const rolledBack = attempt.release ?? finisher.fail(lease, failureOf(attempt, failure, deps))
    const settlement = await rolledBack
    if (settlement.outcome === 'finished') return settlement
    const second = await finisher.succeed(lease, null)
    return second.outcome === 'finished' ? { ...second, status: 'succeeded' } : second
  }
  return {
    settlement: settle(),
    name: attempt.release === undefined ? ifFailed(attempt, failure) : 'released',
  }
}

const unknownCommit = 'the reply of the COMMIT was lost, and the transaction was rolled back'

/** The label of a settlement. A state that the arrow may have entered instead wins over the arrow's own name. */
function said(settlement: Settlement, expected: AttemptOutcome, deps: RunJobDeps): AttemptOutcome {
  if (settlement.outcome === 'lease_lost') {
    deps.observer.staleWriteRefused()
    return 'lost'
  }
  switch (settlement.status) {
    case 'succeeded':
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

function leave(attempt: Attempt, outcome: Outcome, deps: RunJobDeps): Outcome {
  attempt.executing = false
  const { transaction } = attempt
  const comesTo = transaction === undefined ? outcome : transaction.outcomeAfter(outcome)
  deps.onSettled(attempt)
  return comesTo
}

/**
 * The outcome of a handler that ignores its timeout past the grace: it fails without being waited for, and keeps its
 * slot until it settles, because a retry beside it would run twice as many as there is room for.
 */
function leaveLater(attempt: Attempt, execution: Promise<Outcome>, deps: RunJobDeps): Outcome {
  attempt.transaction?.breakOff(new AttemptAborted('timeout'))
  deps.onZombie(1)
  void execution.then((outcome) => {
    deps.onZombie(-1)
    leave(attempt, outcome, deps)
  })
  return failed(new AttemptAborted('timeout'))
}

interface Timeout {
  /** Resolves when the grace after the timeout has passed too. */
  readonly exceeded: Promise<'exceeded'>
  clear(): void
}

/** The timeout of the attempt, which runs from now; undefined where it has none. */
function startTimeout(attempt: Attempt, deps: RunJobDeps): Timeout | undefined {
  const { job } = attempt
  const timeoutMs = job.timeoutMs ?? deps.executor.definition?.(job.kind)?.timeoutMs ?? deps.jobTimeoutMs
  if (timeoutMs === null) return undefined
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

interface AttemptEnd {
  readonly outcome: Outcome
  readonly recorded: AttemptOutcome
  readonly seconds: number
}

function logEnd(logger: Logger, about: LogFields, { outcome, recorded, seconds }: AttemptEnd): void {
  const fields = { ...about, outcome: recorded, seconds }
  if (recorded === 'lost') logger.warn('the job was taken over: this attempt changed nothing', fields)
  else if (outcome.kind === 'failed') logger.warn('job failed', { ...fields, error: outcome.error })
  else logger.debug('job ended', fields)
}
