import type { CountedEnd, JobCounter } from '@queue/core/internal'
import type { Outcome } from '@queue/executor'
import type { Logger } from '@queue/loop'
import type { Attempt } from './attempt.ts'
import type { AttemptContext } from './attempt-context.ts'
import type { AttemptOutcome, WorkerObserver } from './observer.ts'
import type { Reporting } from './reporting.ts'
import type { RunningTrace } from './tracing.ts'

/** An attempt whose end is recorded. */
export interface AttemptEnd {
  readonly attempt: Attempt
  readonly context: AttemptContext
  /** Undefined without tracing. */
  readonly trace: RunningTrace | undefined
  /** Of the handler. */
  readonly outcome: Outcome
  /** It may differ from the handler's. */
  readonly recorded: AttemptOutcome
  readonly durationMs: number
}

export type AttemptEndListener = (end: AttemptEnd) => void

interface EndReceivers {
  readonly reporting: Pick<Reporting, 'logger' | 'observer'>
  readonly counter: Pick<JobCounter, 'ended'>
}

/** Tells everybody who wants to know that an attempt has ended. */
export function createEndListener({ reporting, counter }: EndReceivers): AttemptEndListener {
  const { observer, logger } = reporting
  return (end) => {
    observe(end, observer)
    count(end, counter)
    endTrace(end)
    log(end, logger)
  }
}

function observe(
  { attempt: { job }, recorded, durationMs }: AttemptEnd,
  observer: Pick<WorkerObserver, 'jobCompleted' | 'jobDeadLettered'>,
): void {
  const { kind, queue } = job
  observer.jobCompleted({ kind, queue, outcome: recorded, seconds: durationMs / 1_000 })
  if (recorded === 'failed_permanent') observer.jobDeadLettered({ kind })
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

function count(
  { attempt: { job }, recorded, durationMs }: AttemptEnd,
  counter: EndReceivers['counter'],
): void {
  const how = countedEnds[recorded]
  const atMs = job.claimedAt.getTime() + durationMs
  if (how !== undefined) counter.ended(job, { how, atMs, runMs: durationMs })
}

/** An error with which a handler ends does not fail an attempt that has these outcomes. */
const unfailedBy: readonly AttemptOutcome[] = ['succeeded', 'cancelled', 'released', 'lost']

/** Whether the handler's error has made the attempt fail. Not where a transaction had ended the job before. */
function hasFailed({ outcome, recorded }: AttemptEnd): boolean {
  return outcome.kind === 'failed' && !unfailedBy.includes(recorded)
}

function endTrace(end: AttemptEnd): void {
  const { trace, outcome, recorded } = end
  trace?.ended({
    outcome: recorded,
    ...(hasFailed(end) && outcome.kind === 'failed' && { error: outcome.error }),
  })
}

function log(end: AttemptEnd, logger: Logger): void {
  const { context, outcome, recorded, durationMs } = end
  const fields = { ...context.logFields, outcome: recorded, seconds: durationMs / 1_000 }
  const thrown = outcome.kind === 'failed' ? { ...fields, error: outcome.error } : fields
  if (recorded === 'lost') logger.warn('the job was taken over: this attempt changed nothing', fields)
  else if (hasFailed(end)) logger.warn('job failed', thrown)
  else if (outcome.kind === 'failed' && recorded === 'succeeded')
    logger.warn('the job has succeeded, and its handler failed afterwards', thrown)
  else logger.debug('job ended', thrown)
}
