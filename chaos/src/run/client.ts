import { type Enqueued, type JobOptions, type Queue, QueueError } from '@queue/core'
import { type ChaosPayload, chaosJob } from '../fleet/chaos-job.ts'
import type { History } from '../record/history.ts'

export interface ChaosJob extends ChaosPayload {
  readonly options?: JobOptions
}

/** A client of the queue that records its requests and the answers in the history. */
export interface Client {
  /** Enqueues all jobs or none. Resolves with their ids, or undefined if the enqueue was refused or its outcome is unknown. */
  enqueue(jobs: readonly ChaosJob[]): Promise<readonly string[] | undefined>
  /** Enqueues one job with a unique key. Resolves with the answer, or undefined if there was none. */
  enqueueUnique(job: ChaosJob): Promise<Enqueued | undefined>
  /** Cancels one job. */
  cancel(job: { readonly key: string; readonly id: string }): Promise<void>
}

/** Longer than a lock on a key is ever held, because an enqueue that times out proves nothing. */
const keyLockTimeoutMs = 60_000

export function createClient(queue: Queue, history: History): Client {
  return {
    enqueue: async (jobs) => {
      const keys = jobs.map(({ key }) => key)
      history.write({ type: 'invoke', op: 'enqueue', keys })
      try {
        const enqueued = await queue.enqueueMany(
          jobs.map(({ options, ...payload }) => chaosJob.create(payload, options)),
        )
        const ids = enqueued.map(({ job }) => job.id)
        history.write({ type: 'ok', op: 'enqueue', keys, ids })
        return ids
      } catch (error) {
        history.write({ type: endOf(error), op: 'enqueue', keys, note: String(error) })
        return undefined
      }
    },
    enqueueUnique: async ({ options, ...payload }) => {
      const keys = [payload.key]
      history.write({ type: 'invoke', op: 'enqueue', keys })
      try {
        const enqueued = await queue.enqueue(chaosJob, payload, { ...options, keyLockTimeoutMs })
        const { job, conflict } = enqueued
        // An enqueue that conflicts with the holder of the key creates no job.
        history.write(
          conflict === undefined
            ? { type: 'ok', op: 'enqueue', keys, ids: [job.id] }
            : { type: 'fail', op: 'enqueue', keys, note: conflict },
        )
        return enqueued
      } catch (error) {
        history.write({ type: endOf(error), op: 'enqueue', keys, note: String(error) })
        return undefined
      }
    },
    cancel: async ({ key, id }) => {
      history.write({ type: 'invoke', op: 'cancel', keys: [key] })
      try {
        const { outcome } = await queue.cancel(id)
        history.write({ type: 'ok', op: 'cancel', keys: [key], note: outcome })
      } catch (error) {
        history.write({ type: endOf(error), op: 'cancel', keys: [key], note: String(error) })
      }
    },
  }
}

/** The outcome of a failed statement: it is unknown only if the connection was lost. */
function endOf(error: unknown): 'unknown' | 'fail' {
  return error instanceof QueueError && error.code === 'database_unavailable' ? 'unknown' : 'fail'
}
