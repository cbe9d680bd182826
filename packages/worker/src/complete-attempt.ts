import { type PgClient, QueueError } from '@queue/core'
import { type Completion, defaultRetryPolicy, type Random, retryDelayMs } from '@queue/core/runtime'
import { describeError, type LogFields, type Logger } from '@queue/loop'
import { isRefusal, mayPass, sqlStateOf } from '@queue/postgres'
import { type Executor, failed, type Failed, type Outcome } from '@queue/executor'
import type { Attempt } from './attempt.ts'
import type { Finisher } from './finisher.ts'
import type { AttemptOutcome, WorkerObserver } from './observer.ts'
import type { ProgressReports } from './progress.ts'
import type { RefusedEnds } from './refused-ends.ts'

/** What recording the end of an attempt takes. */
export interface CompletionDeps {
  readonly finisher: Finisher
  readonly refusedEnds: RefusedEnds
  readonly reports: ProgressReports
  /** Of whose kinds' definitions the retry policies are. */
  readonly executor: Pick<Executor<PgClient>, 'definition'>
  readonly random: Random
  readonly logger: Logger
  readonly observer: Pick<WorkerObserver, 'staleWriteRefused'>
}

interface CompletionScope {
  readonly deps: CompletionDeps
  /** What every line about the attempt carries. */
  readonly about: LogFields
}

/**
 * Makes the one transition that the outcome asks for. Only this function decides which. Gives what was recorded, and never
 * throws.
 */
export async function completeAttempt(
  attempt: Attempt,
  outcome: Outcome,
  { deps, about }: CompletionScope,
): Promise<AttemptOutcome> {
  try {
    if (attempt.progress !== undefined) await reportLast(attempt, { deps, about })
    const transition = takeTransition(attempt, outcome, deps)
    return typeof transition === 'string'
      ? transition
      : recordedOutcome(await transition.completion, transition.name, deps)
  } catch (refusal) {
    return recordRefused(attempt, outcome, { deps, about, refusal })
  }
}

/** What was reported since the last check: afterwards it could not be stored any more. It must not cost the end. */
async function reportLast(attempt: Attempt, { deps, about }: CompletionScope): Promise<void> {
  await deps.reports
    .write(attempt)
    .catch((error: unknown) => deps.logger.warn('the last progress could not be stored', { ...about, error }))
}

interface Refused extends CompletionScope {
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
      const transition = takeTransition(attempt, outcome, again)
      return typeof transition === 'string'
        ? transition
        : recordedOutcome(await transition.completion, transition.name, deps)
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
  deps: CompletionDeps,
): Promise<AttemptOutcome | undefined> {
  const isOfDatabase = sqlStateOf(refusal) !== undefined || refusal instanceof QueueError
  if (isOfDatabase && !isRefusal(refusal)) return undefined
  const error = new Error('the end of the attempt could not be recorded', { cause: refusal })
  const transition = takeTransition(attempt, failed(error), deps)
  return typeof transition === 'string'
    ? transition
    : recordedOutcome(await transition.completion, transition.name, deps)
}

/** A write on its way, and what it comes to unless the job was in another state than its attempt knew. */
interface Transition {
  readonly completion: Promise<Completion>
  readonly name: AttemptOutcome
}

/** The transition for this outcome; its name alone where nothing is left to write. */
function takeTransition(
  attempt: Attempt,
  outcome: Outcome,
  deps: CompletionDeps,
): Transition | AttemptOutcome {
  const { finisher } = deps
  const { lease } = attempt.job
  const state = attempt.transaction?.state
  if (state === 'committed') return 'succeeded'
  if (state === 'committing' || state === 'unknown') return takeUnknown(attempt, outcome, deps)
  if (attempt.release !== undefined) return { completion: attempt.release, name: 'released' }
  if (attempt.abortReason === 'lease_lost') return 'lost'
  if (attempt.abortReason === 'shutdown' && outcome.kind !== 'succeeded') {
    return { completion: finisher.release(lease), name: 'released' }
  }
  switch (outcome.kind) {
    case 'succeeded':
      return { completion: finisher.succeed(lease, outcome.result), name: 'succeeded' }
    case 'failed':
      return {
        completion: finisher.fail(lease, failureOf(attempt, outcome, deps)),
        name: ifFailed(attempt, outcome),
      }
    case 'snoozed':
      return { completion: finisher.snooze(lease, outcome.ms), name: 'snoozed' }
    case 'cancelled':
      return { completion: finisher.cancel(lease), name: 'cancelled' }
  }
}

/**
 * The reply of a COMMIT was lost, or is waited for beyond the timeout. Until its transaction has ended one way or the
 * other it holds the row of the job: a failure waits for that, and is recorded only if it was rolled back. The answer
 * to a second finish tells apart the other two ways, committed and lost.
 */
function takeUnknown(attempt: Attempt, outcome: Outcome, deps: CompletionDeps): Transition {
  const { finisher } = deps
  const { lease } = attempt.job
  const failure = outcome.kind === 'failed' ? outcome : failed(new Error(unknownCommit))
  const complete = async (): Promise<Completion> => {
    const rolledBack = attempt.release ?? finisher.fail(lease, failureOf(attempt, failure, deps))
    const completion = await rolledBack
    if (completion.outcome === 'finished') return completion
    const second = await finisher.succeed(lease, null)
    return second.outcome === 'finished' ? { ...second, status: 'succeeded' } : second
  }
  return {
    completion: complete(),
    name: attempt.release === undefined ? ifFailed(attempt, failure) : 'released',
  }
}

const unknownCommit = 'the reply of the COMMIT was lost, and the transaction was rolled back'

/**
 * The label of a completion. A state that the transition may have entered instead wins over the transition's own name.
 */
function recordedOutcome(
  completion: Completion,
  expected: AttemptOutcome,
  deps: CompletionDeps,
): AttemptOutcome {
  if (completion.outcome === 'lease_lost') {
    deps.observer.staleWriteRefused()
    return 'lost'
  }
  switch (completion.status) {
    case 'succeeded':
    case 'cancelled':
    case 'failed_permanent':
      return completion.status
    case 'retrying':
      return expected === 'failed_permanent' ? 'retrying' : expected
    default:
      return expected
  }
}

function ifFailed(attempt: Attempt, outcome: Failed): AttemptOutcome {
  return outcome.permanent || attempt.job.attempt >= attempt.job.maxAttempts ? 'failed_permanent' : 'retrying'
}

function failureOf(attempt: Attempt, outcome: Failed, deps: CompletionDeps) {
  const { job } = attempt
  const policy = job.retryPolicy ?? deps.executor.definition?.(job.kind)?.retryPolicy ?? defaultRetryPolicy
  return {
    error: describeError(outcome.error),
    waitMs: outcome.retryAfterMs ?? retryDelayMs(job.attempt, policy, deps.random),
    permanent: outcome.permanent,
  }
}
