import { type Enqueued, type JobOptions, type Queue, QueueError } from '@queue/core'
import { type ChaosPayload, chaosJob } from '../fleet/chaos-job.ts'
import type { History } from '../record/history.ts'

export interface ChaosJob extends ChaosPayload {
  readonly options?: JobOptions
}

/** A user of the queue, who writes down what was asked for and what was answered. */
export interface Client {
  /** Enqueues all or none; gives their ids, or undefined when they were refused or nobody knows. */
  enqueue(jobs: readonly ChaosJob[]): Promise<readonly string[] | undefined>
  /** Enqueues one job that has a unique key; gives what was answered, or undefined when nothing was. */
  enqueueUnique(job: ChaosJob): Promise<Enqueued | undefined>
  /** Asks for the cancel of one job. */
  cancel(job: { readonly key: string; readonly id: string }): Promise<void>
}

/** Longer than it ever takes: who is refused the key has shown nothing. */
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
        // Who met the holder of the key has made no job.
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

/** Only the loss of the connection leaves it open whether a statement took effect. */
function endOf(error: unknown): 'unknown' | 'fail' {
  return error instanceof QueueError && error.code === 'database_unavailable' ? 'unknown' : 'fail'
}
