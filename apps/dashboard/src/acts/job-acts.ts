import { isEnded, type Job, type JobStatus, type UndoCancel, type UndoRequeue } from '@queue/client'
import { client } from '../api/client.ts'
import { failureOf, failureText } from '../api/errors.ts'
import type { Expected } from '../api/expected.ts'
import { nowMs, serverNow } from '../shell/clock.ts'
import { plural, shortId } from '../ui/format.ts'
import type { Act, Done, Mutation } from './act.ts'
import type { ActCode } from './code.ts'

type ActedJob = Pick<Job, 'id' | 'kind' | 'status'>

const sampleMax = 10
/** Requests in flight. A browser opens six connections, and the page needs some of them. */
const concurrency = 3

export function canCancel(status: JobStatus): boolean {
  return !isEnded({ status })
}

/** A receipt cannot be requeued, because it has no payload. */
export function canRequeue({
  status,
  stripped_at: strippedAt,
}: Pick<Job, 'status' | 'stripped_at'>): boolean {
  return strippedAt === null && (status === 'failed_permanent' || status === 'cancelled')
}

export function cancelAct(jobs: readonly ActedJob[]): Act {
  const count = plural(jobs.length, 'job')
  return {
    title: `Cancel ${count}?`,
    effect:
      'Waiting jobs are cancelled at once and can be requeued. Running jobs are asked to stop, and stop at their next safe point.',
    sample: sampleOf(jobs),
    confirm: `Cancel ${count}`,
    dismiss: jobs.length === 1 ? 'Keep job' : 'Keep jobs',
    dangerous: true,
    code: codeOf(jobs, 'cancel'),
    doing: `Cancelling ${count}`,
    expects: expectsOf(jobs, (job) =>
      job.status === 'running' ? { ...job, cancel_requested: true } : { ...job, status: 'cancelled' },
    ),
    run: async () => {
      const outcome = await each(jobs, (id) => client.cancel(id))
      const cancelled = outcome.done.flatMap((job) => cancelledOf(job, jobs))
      return {
        ...resultOf(cancelWords, outcome),
        ...(cancelled.length > 0 && { undo: undoCancelOf(cancelled) }),
      }
    },
  }
}

export function requeueAct(jobs: readonly ActedJob[]): Act {
  const count = plural(jobs.length, 'job')
  const at = serverNow()
  return {
    title: `Requeue ${count}?`,
    effect: 'Requeued jobs get all attempts again.',
    sample: sampleOf(jobs),
    confirm: `Requeue ${count}`,
    code: codeOf(jobs, 'requeue'),
    doing: `Requeuing ${count}`,
    expects: expectsOf(jobs, (job) => ({
      ...job,
      status: 'queued',
      attempts: 0,
      cancel_requested: false,
      run_at: at,
      finished_at: null,
      result: null,
    })),
    run: async () => requeuedOf(await each(jobs, (id) => client.requeue(id))),
  }
}

/** The result of a requeue, and its undo. */
export function requeuedOf(outcome: Outcome<Job>): Done {
  const jobs = outcome.done.map(({ id, updated_at: changedAt }) => ({ id, changed_at: changedAt }))
  return {
    ...resultOf(requeueWords, outcome),
    ...(jobs.length > 0 && { undo: undoRequeueOf(jobs) }),
  }
}

/** Ends requeued jobs again as they had ended, with their dead letters, in one transaction. */
export function undoRequeueOf(jobs: UndoRequeue['jobs']): Mutation {
  return {
    doing: 'Restoring the jobs',
    permission: 'jobs:control',
    run: async () => {
      const { count, skipped } = await client.undoRequeue({ jobs })
      return restoredText(`Restored ${plural(count, 'job')}.`, { count, skipped })
    },
  }
}

type CancelledJobs = UndoCancel['jobs']

/** What undoes the cancel of a job; nothing if it was running. */
function cancelledOf(cancelled: Job, before: readonly ActedJob[]): CancelledJobs {
  const { id, status, updated_at: changedAt } = cancelled
  if (status !== 'cancelled') return []
  const wasRetrying = before.some((job) => job.id === id && job.status === 'retrying')
  return [{ id, status: wasRetrying ? 'retrying' : 'queued', changed_at: changedAt }]
}

/** Restores cancelled jobs as they waited, in one transaction. */
export function undoCancelOf(jobs: CancelledJobs): Mutation {
  return {
    doing: 'Restoring the jobs',
    run: async () => {
      const { count, skipped } = await client.undoCancel({ jobs })
      return restoredText(`Restored ${plural(count, 'job')}.`, { count, skipped })
    },
  }
}

/** The result of an undo, which skips jobs that have changed since. */
export function restoredText(
  text: string,
  { count, skipped }: { readonly count: number; readonly skipped: number },
): Done {
  if (skipped === 0) return { text }
  return { text: `${text} Skipped ${plural(skipped, 'job')} that changed since.`, failed: count === 0 }
}

/** A waiting job that is not due yet can run now. */
export function canRunNow({ status, run_at: runAt }: Pick<Job, 'status' | 'run_at'>): boolean {
  return canEdit(status) && Date.parse(runAt) > nowMs()
}

export function canEdit(status: JobStatus): boolean {
  return status === 'queued' || status === 'retrying'
}

export function runJobNowAct(job: Job): Act {
  const { id, run_at: runAt } = job
  const at = serverNow()
  const restoreStart = (changedAt: string): Mutation => ({
    doing: 'Restoring the start time',
    expects: expectsOf([job], (one) => ({ ...one, run_at: runAt })),
    run: async () =>
      restoredText(
        'Start time restored.',
        await client.undoReschedule({ jobs: [{ id, run_at: runAt, changed_at: changedAt }] }),
      ),
  })
  return {
    title: 'Run this job now?',
    effect: 'The job becomes due now and starts as soon as a worker has a free slot.',
    sample: sampleOf([job]),
    confirm: 'Run now',
    code: { method: 'POST', path: `/jobs/${id}/run-now`, typescript: `await client.runNow('${id}')` },
    doing: `Running job …${shortId(id)} now`,
    expects: expectsOf([job], (one) => ({ ...one, run_at: at })),
    run: async () => {
      const { updated_at: changedAt } = await client.runNow(id)
      return { text: 'The job is due now.', undo: restoreStart(changedAt) }
    },
  }
}

export function duplicateAct(job: Job): Act {
  const { id } = job
  return {
    title: 'Duplicate this job?',
    effect:
      'A copy of the job is enqueued with the same payload and options, due now. It has no idempotency key and no unique key.',
    sample: sampleOf([job]),
    confirm: 'Duplicate',
    code: { method: 'POST', path: `/jobs/${id}/duplicate`, typescript: `await client.duplicate('${id}')` },
    doing: `Duplicating job …${shortId(id)}`,
    run: async () => {
      const copy = await client.duplicate(id)
      return {
        text: `Job …${shortId(copy.id)} enqueued.`,
        jobId: copy.id,
        undo: cancelAct([copy]),
      }
    },
  }
}

export function sampleOf(jobs: readonly Pick<ActedJob, 'id' | 'kind'>[]): string[] {
  const shown = jobs.slice(0, sampleMax).map(({ kind, id }) => `${kind} …${shortId(id)}`)
  return jobs.length > sampleMax ? [...shown, `and ${jobs.length - sampleMax} more`] : shown
}

function codeOf(jobs: readonly ActedJob[], verb: 'cancel' | 'requeue'): ActCode {
  const [first] = jobs
  const ids = JSON.stringify(jobs.map(({ id }) => id))
  return {
    method: 'POST',
    path: jobs.map(({ id }) => `/jobs/${id}/${verb}`),
    typescript:
      jobs.length === 1
        ? `await client.${verb}('${first?.id ?? ''}')`
        : `for (const id of ${ids}) await client.${verb}(id)`,
  }
}

function expectsOf(jobs: readonly ActedJob[], change: (job: Job) => Job): Expected[] {
  return jobs.map(({ id }) => ({ of: 'job', id, change }))
}

export interface Outcome<Item> {
  readonly done: readonly Item[]
  /** The errors of the refused items. */
  readonly faults: readonly unknown[]
}

/** Runs an action for each job, a few at a time, and continues after errors. */
export async function each<Item>(
  jobs: readonly { readonly id: string }[],
  act: (id: string) => Promise<Item>,
): Promise<Outcome<Item>> {
  const done: Item[] = []
  const faults: unknown[] = []
  const waiting = [...jobs]
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      try {
        done.push(await act(job.id))
      } catch (error) {
        faults.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { done, faults }
}

/** The verb forms of an action, for messages. */
interface VerbForms {
  readonly doing: string
  readonly past: string
}

const cancelWords: VerbForms = { doing: 'Cancelling', past: 'Cancelled' }
const requeueWords: VerbForms = { doing: 'Requeuing', past: 'Requeued' }

function resultOf({ doing, past }: VerbForms, { done, faults }: Outcome<unknown>): Done {
  if (faults.length === 0) return { text: `${past} ${plural(done.length, 'job')}.` }
  if (done.length === 0)
    return { text: failureText(`${doing} ${plural(faults.length, 'job')}`, faults[0]), failed: true }
  const { text } = failureOf(faults[0])
  return { text: `${past} ${plural(done.length, 'job')}. ${faults.length} skipped: ${text}` }
}
