import { isEnded, type Job, type JobStatus } from '@queue/client'
import { client } from '../api/client.ts'
import { failureOf } from '../api/errors.ts'
import { nowMs } from '../shell/clock.ts'
import { plural, shortId } from '../ui/format.ts'
import type { Act, Done } from './act.ts'
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
    run: async () => {
      const { done, faults } = await each(jobs, (id) => client.cancel(id))
      const waited = done.filter(({ status }) => status !== 'running')
      const undo = waited.length === 0 ? {} : { undo: () => requeueAct(waited).run() }
      return { ...resultOf('Cancelled', { done, faults }), ...undo }
    },
  }
}

export function requeueAct(jobs: readonly ActedJob[]): Act {
  const some = plural(jobs.length, 'job')
  return {
    title: `Requeue ${some}?`,
    effect: 'Each is queued anew, with all of its attempts.',
    sample: sampleOf(jobs),
    confirm: `Requeue ${some}`,
    code: codeOf(jobs, 'requeue'),
    run: async () => {
      const { done, faults } = await each(jobs, (id) => client.requeue(id))
      const undo = done.length === 0 ? {} : { undo: () => cancelAct(done).run() }
      return { ...resultOf('Requeued', { done, faults }), ...undo }
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
  return {
    title: 'Run this job now?',
    effect: 'It is due at once, and starts as soon as a worker has a free slot.',
    sample: sampleOf([job]),
    confirm: 'Run now',
    code: { method: 'POST', path: `/jobs/${id}/run-now`, typescript: `await client.runNow('${id}')` },
    run: async () => {
      await client.runNow(id)
      const undo = async (): Promise<Done> => {
        await client.edit(id, { run_at: runAt })
        return { text: 'It is due when it was before.' }
      }
      return { text: 'It is due now.', ...(mayEdit && { undo }) }
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
    run: async () => {
      const other = await client.duplicate(id)
      return {
        text: `Job …${shortId(other.id)} is enqueued.`,
        jobId: other.id,
        undo: () => cancelAct([other]).run(),
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

export interface Outcome<Item> {
  readonly done: readonly Item[]
  readonly faults: readonly string[]
}

/** Does the same to each, a few at a time, and goes on past those that refuse. */
export async function each<Item>(
  jobs: readonly { readonly id: string }[],
  act: (id: string) => Promise<Item>,
): Promise<Outcome<Item>> {
  const done: Item[] = []
  const faults: string[] = []
  const waiting = [...jobs]
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      try {
        done.push(await act(job.id))
      } catch (error) {
        faults.push(failureOf(error).text)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { done, faults }
}

export function resultOf(verb: string, { done, faults }: Outcome<unknown>): Done {
  const text = `${verb} ${plural(done.length, 'job')}.`
  if (faults.length === 0) return { text }
  return { text: `${text} ${faults.length} skipped: ${faults[0]}`, failed: done.length === 0 }
}
