import { QueueError } from '@queue/core'
import {
  type Completion,
  defaultRetryPolicy,
  type PgConnection,
  type Random,
  retryDelayMs,
  type SnoozeWrite,
  versionedKind,
} from '@queue/core/internal'
import { describeError, type Logger } from '@queue/loop'
import { isRefusal, isTransient, sqlStateOf } from '@queue/postgres'
import { type Executor, failed, type Failed, type Outcome } from '@queue/executor'
import type { Attempt } from './attempt.ts'
import type { AttemptContext } from './attempt-context.ts'
import { causeOf } from './fingerprint.ts'
import type { Finisher, RefusedEnds } from './finisher.ts'
import type { AttemptOutcome, WorkerObserver } from './observer.ts'
import type { ProgressReports } from './progress.ts'

/** The dependencies of recording the end of an attempt. */
export interface CompletionDeps {
  readonly finisher: Finisher
  readonly refusedEnds: RefusedEnds
  readonly reports: ProgressReports
  /** Knows the retry policy of each kind. */
  readonly executor: Pick<Executor<PgConnection>, 'definition'>
  /** The versions of kinds for which the registry keeps another schema than this worker's. */
  readonly refusedVersions: ReadonlySet<string>
  readonly random: Random
  readonly logger: Logger
  readonly observer: Pick<WorkerObserver, 'staleWriteRefused'>
}

interface CompletionScope {
  readonly deps: CompletionDeps
  readonly context: Pick<AttemptContext, 'logFields'>
}

/** Whether something must be stored before the end of the attempt. */
export function hasLastWrites({ progress, log }: Attempt): boolean {
  return progress !== undefined || log !== undefined
}

/** Stores the progress and all log lines of the attempt, before its end is visible. Never rejects. */
export async function storeLastWrites(attempt: Attempt, { deps, context }: CompletionScope): Promise<void> {
  if (attempt.progress !== undefined) await writeLastProgress(attempt, { deps, context })
  await attempt.log?.end()
}

/** Writes the progress since the last check, because it cannot be stored after the end. A failure must not prevent the end. */
async function writeLastProgress(attempt: Attempt, { deps, context }: CompletionScope): Promise<void> {
  await deps.reports
    .write(attempt)
    .catch((error: unknown) =>
      deps.logger.warn('the last progress could not be stored', { ...context.logFields, error }),
    )
}

interface RefusedCompletion extends CompletionScope {
  readonly refusal: unknown
}

/**
 * Handles an end that the database refuses to record. The worker keeps it and tries again: only this process knows how the
 * attempt ended, and running the job again would repeat its effects. Returns `error` when the worker stops before the end is
 * recorded.
 */
export async function recordRefused(
  attempt: Attempt,
  outcome: Outcome,
  { deps, context, refusal }: RefusedCompletion,
): Promise<AttemptOutcome> {
  if (isTransient(refusal)) {
    deps.logger.error('the end of the attempt could not be recorded', {
      ...context.logFields,
      error: attempt.shown(refusal),
    })
    return 'error'
  }
  deps.logger.error('the database refuses to record the end of the attempt: keeping it, and trying again', {
    ...context.logFields,
    error: attempt.shown(refusal),
  })
  const recordedFailure = await failInstead(attempt, refusal, deps).catch(() => undefined)
  if (recordedFailure !== undefined) return recordedFailure
  return deps.refusedEnds.keep(async (finisher) => {
    const retryDeps = { ...deps, finisher }
    if (attempt.release !== undefined) attempt.release = finisher.release(attempt.job.lease)
    try {
      const transition = takeTransition(attempt, outcome, retryDeps)
      return typeof transition === 'string'
        ? transition
        : recordedOutcome(await transition.completion, transition.name, deps)
    } catch (error) {
      const recorded = await failInstead(attempt, error, retryDeps)
      if (recorded === undefined) throw error
      return recorded
    }
  })
}

/**
 * Records a failure in place of an end that can never be recorded because a check or trigger refuses this row. Otherwise the
 * job could run and be refused forever, uncharged. Returns undefined if the refusal is not about the row. Throws if the
 * database refuses the failure too.
 */
async function failInstead(
  attempt: Attempt,
  refusal: unknown,
  deps: CompletionDeps,
): Promise<AttemptOutcome | undefined> {
  const isOfDatabase = sqlStateOf(refusal) !== undefined || refusal instanceof QueueError
  if (isOfDatabase && !isRefusal(refusal)) return undefined
  const error = new Error('the end of the attempt could not be recorded', { cause: attempt.shown(refusal) })
  const transition = takeTransition(attempt, failed(error), deps)
  return typeof transition === 'string'
    ? transition
    : recordedOutcome(await transition.completion, transition.name, deps)
}

/** A write in flight, and the outcome that it records unless the state of the job has changed since the attempt last saw it. */
interface Transition {
  readonly completion: Promise<Completion>
  readonly name: AttemptOutcome
}

/**
 * Starts the one transition that the outcome requires. Only this function decides which. Returns only the outcome's name if
 * nothing is left to write.
 */
export function takeTransition(
  attempt: Attempt,
  outcome: Outcome,
  deps: CompletionDeps,
): Transition | AttemptOutcome {
  const { finisher } = deps
  const { lease } = attempt.job
  const state = attempt.transaction?.state
  if (state === 'committed') return 'succeeded'
  if (state === 'committing' || state === 'unknown') return resolveUnknownCommit(attempt, outcome, deps)
  if (attempt.release !== undefined) return { completion: attempt.release, name: 'released' }
  if (attempt.abortReason === 'lease_lost') return 'lost'
  if (attempt.abortReason === 'shutdown' && outcome.kind !== 'succeeded') {
    return { completion: finisher.release(lease), name: 'released' }
  }
  switch (outcome.kind) {
    case 'succeeded':
      return { completion: finisher.succeed(lease, outcome), name: 'succeeded' }
    case 'failed':
      if (isUnfit(attempt, outcome, deps)) {
        return { completion: finisher.snooze(lease, unfitWait(attempt, outcome, deps)), name: 'snoozed' }
      }
      return {
        completion: finisher.fail(lease, failureOf(attempt, outcome, deps)),
        name: outcomeOfFailure(attempt, outcome),
      }
    case 'snoozed':
      return { completion: finisher.snooze(lease, { waitMs: outcome.ms }), name: 'snoozed' }
    case 'cancelled':
      return { completion: finisher.cancel(lease), name: 'cancelled' }
  }
}

/**
 * Records the end of an attempt whose COMMIT got no reply, or none before the timeout. Until that transaction ends, it holds
 * the row of the job. The failure written here waits for the row, and is recorded only if the transaction was rolled back.
 * Otherwise the answer to a second finish tells whether the transaction committed or the lease was lost.
 */
function resolveUnknownCommit(attempt: Attempt, outcome: Outcome, deps: CompletionDeps): Transition {
  const { finisher } = deps
  const { lease } = attempt.job
  const failure = outcome.kind === 'failed' ? outcome : failed(new Error(commitRolledBack))
  const complete = async (): Promise<Completion> => {
    const rolledBack = attempt.release ?? finisher.fail(lease, failureOf(attempt, failure, deps))
    const completion = await rolledBack
    if (completion.outcome === 'finished') return completion
    const secondFinish = await finisher.succeed(lease, { result: null, note: null })
    return secondFinish.outcome === 'finished' ? { ...secondFinish, status: 'succeeded' } : secondFinish
  }
  return {
    completion: complete(),
    name: attempt.release === undefined ? outcomeOfFailure(attempt, failure) : 'released',
  }
}

const commitRolledBack = 'the reply of the COMMIT was lost, and the transaction was rolled back'

/** The outcome to report. The state that was written takes precedence over the one that the transition expected. */
export function recordedOutcome(
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

/**
 * Whether the job was made by a schema that the registry keeps in place of this worker's. A worker with that schema, or with
 * a step that upgrades its version, can run the job.
 */
function isUnfit({ job }: Attempt, { refusesPayload }: Failed, { refusedVersions }: CompletionDeps): boolean {
  return refusesPayload && refusedVersions.has(versionedKind(job.kind, job.kindVersion))
}

/** The waits grow with the claims of the job, because the attempts are not charged. */
const unfitWaits = { type: 'exponential', jitter: 'proportional', baseMs: 15_000, capMs: 600_000 } as const

function unfitWait(
  { job }: Attempt,
  outcome: Failed,
  { random }: CompletionDeps,
): Omit<SnoozeWrite, 'lease'> {
  return {
    waitMs: retryDelayMs(job.lease.token, unfitWaits, random),
    reason:
      `the payload does not fit this worker's schema of ${job.kind}, version ${job.kindVersion}, whose registration was ` +
      `refused: ${describeError(outcome.error)}`,
  }
}

function outcomeOfFailure(attempt: Attempt, outcome: Failed): AttemptOutcome {
  return outcome.permanent || attempt.job.attempt >= attempt.job.maxAttempts ? 'failed_permanent' : 'retrying'
}

function failureOf(attempt: Attempt, outcome: Failed, deps: CompletionDeps) {
  const { job } = attempt
  const policy = job.retryPolicy ?? deps.executor.definition?.(job.kind)?.retryPolicy ?? defaultRetryPolicy
  return {
    error: describeError(outcome.error),
    cause: causeOf(job.kind, outcome.error),
    waitMs: outcome.retryAfterMs ?? retryDelayMs(job.attempt, policy, deps.random),
    permanent: outcome.permanent,
  }
}
