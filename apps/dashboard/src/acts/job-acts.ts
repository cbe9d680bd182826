import { isEnded, type Job, type JobStatus } from '@queue/client'
import { client } from '../api/client.ts'
import { failureOf, refusalOf } from '../api/errors.ts'
import type { Expected } from '../api/expected.ts'
import { nowMs, serverNow } from '../shell/clock.ts'
import { plural, shortId } from '../ui/format.ts'
import type { Act, Done, Mutation } from './act.ts'
import type { ActCode } from './code.ts'

type ActedJob = Pick<Job, 'id' | 'kind' | 'status'>

const sampleMax = 10
/** So many requests at once: a browser has six connections, and the page needs some. */
const atOnce = 3

export function canCancel(status: JobStatus): boolean {
  return !isEnded({ status })
}

/** A receipt has no payload to run again. */
export function canRequeue({
  status,
  stripped_at: strippedAt,
}: Pick<Job, 'status' | 'stripped_at'>): boolean {
  return strippedAt === null && (status === 'failed_permanent' || status === 'cancelled')
}

export function cancelAct(jobs: readonly ActedJob[]): Act {
  const some = plural(jobs.length, 'job')
  return {
    title: `Cancel ${some}?`,
    effect:
      'What waits is cancelled at once, and can be requeued. What runs is asked to stop, and stops at its next safe point.',
    sample: sampleOf(jobs),
    confirm: `Cancel ${some}`,
    dangerous: true,
    code: codeOf(jobs, 'cancel'),
    doing: `Cancelling ${some}`,
    expects: expectsOf(jobs, (job) =>
      job.status === 'running' ? { ...job, cancel_requested: true } : { ...job, status: 'cancelled' },
    ),
    run: async () => {
      const outcome = await each(jobs, (id) => client.cancel(id))
      const waited = outcome.done.filter(({ status }) => status !== 'running')
      return { ...resultOf(cancelWords, outcome), ...(waited.length > 0 && { undo: requeueAct(waited) }) }
    },
  }
}

export function requeueAct(jobs: readonly ActedJob[]): Act {
  const some = plural(jobs.length, 'job')
  const at = serverNow()
  return {
    title: `Requeue ${some}?`,
    effect: 'Each is queued anew, with all of its attempts.',
    sample: sampleOf(jobs),
    confirm: `Requeue ${some}`,
    code: codeOf(jobs, 'requeue'),
    doing: `Requeuing ${some}`,
    expects: expectsOf(jobs, (job) => ({
      ...job,
      status: 'queued',
      attempts: 0,
      cancel_requested: false,
      run_at: at,
      finished_at: null,
      result: null,
    })),
    run: async () => {
      const outcome = await each(jobs, (id) => client.requeue(id))
      const { done } = outcome
      return { ...resultOf(requeueWords, outcome), ...(done.length > 0 && { undo: cancelAct(done) }) }
    },
  }
}

/** A job that waits for its time. */
export function canRunNow({ status, run_at: runAt }: Pick<Job, 'status' | 'run_at'>): boolean {
  return canEdit(status) && Date.parse(runAt) > nowMs()
}

export function canEdit(status: JobStatus): boolean {
  return status === 'queued' || status === 'retrying'
}

/** `mayEdit`: whoever asks may set its time again. */
export function runJobNowAct(job: Job, mayEdit: boolean): Act {
  const { id, run_at: runAt } = job
  const at = serverNow()
  const setBack: Mutation = {
    doing: 'Setting its time back',
    expects: expectsOf([job], (one) => ({ ...one, run_at: runAt })),
    run: async () => {
      await client.edit(id, { run_at: runAt })
      return { text: 'It is due when it was before.' }
    },
  }
  return {
    title: 'Run this job now?',
    effect: 'It is due at once, and starts as soon as a worker has a free slot.',
    sample: sampleOf([job]),
    confirm: 'Run now',
    code: { method: 'POST', path: `/jobs/${id}/run-now`, typescript: `await client.runNow('${id}')` },
    doing: `Running job …${shortId(id)} now`,
    expects: expectsOf([job], (one) => ({ ...one, run_at: at })),
    run: async () => {
      await client.runNow(id)
      return { text: 'It is due now.', ...(mayEdit && { undo: setBack }) }
    },
  }
}

export function duplicateAct(job: Job): Act {
  const { id } = job
  return {
    title: 'Duplicate this job?',
    effect:
      'Another one with the same work and options is enqueued, due now, without its idempotency key and unique key.',
    sample: sampleOf([job]),
    confirm: 'Duplicate',
    code: { method: 'POST', path: `/jobs/${id}/duplicate`, typescript: `await client.duplicate('${id}')` },
    doing: `Duplicating job …${shortId(id)}`,
    run: async () => {
      const other = await client.duplicate(id)
      return {
        text: `Job …${shortId(other.id)} is enqueued.`,
        jobId: other.id,
        undo: cancelAct([other]),
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
  /** What was thrown of those that were refused. */
  readonly faults: readonly unknown[]
}

/** Does the same to each, a few at a time, and goes on past those that refuse. */
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
  await Promise.all(Array.from({ length: atOnce }, work))
  return { done, faults }
}

/** An act while it is done, and when it is. */
interface VerbForms {
  readonly doing: string
  readonly past: string
}

export const cancelWords: VerbForms = { doing: 'Cancelling', past: 'Cancelled' }
export const requeueWords: VerbForms = { doing: 'Requeuing', past: 'Requeued' }

export function resultOf({ doing, past }: VerbForms, { done, faults }: Outcome<unknown>): Done {
  if (faults.length === 0) return { text: `${past} ${plural(done.length, 'job')}.` }
  if (done.length === 0)
    return { text: refusalOf(`${doing} ${plural(faults.length, 'job')}`, faults[0]), failed: true }
  const { text } = failureOf(faults[0])
  return { text: `${past} ${plural(done.length, 'job')}. ${faults.length} skipped: ${text}` }
}
