import { ApiError } from '../../api-error.ts'
import { callOptions, type RulesOfCalls, text } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type { EditedJob, EditJob, Job, RequeueQuery } from '../../wire.ts'
import { getJob } from '../reads/get-job.ts'

/** A new expiry of the requeued job, and the options of the call. */
export type RequeueOptions = RequeueQuery & CallOptions

export interface EditOptions extends CallOptions {
  /** The ETag of the job as you read it. If the job has changed since, nothing is edited. Default: edit in any case. */
  readonly ifMatch?: string | undefined
}

/** Changes of one job. */
export interface ChangeJobCalls {
  /**
   * Cancels a job. A waiting job is returned as cancelled. A running job is returned with `cancel_requested`, and stops
   * at its next safe point.
   *
   * @throws ApiError `invalid_transition` if the job has ended.
   */
  cancel(id: string, options?: CallOptions): Promise<Job>
  /**
   * Requeues an ended job. A job whose expiry has passed needs a later one. After a lost reply the call is not retried,
   * because the job may have run and ended in the meantime.
   *
   * @throws ApiError `invalid_transition` if the job has not ended.
   */
  requeue(id: string, options?: RequeueOptions): Promise<Job>
  /**
   * Changes a waiting job.
   *
   * @throws ApiError `invalid_transition` if the job is not waiting, `job_changed` if it no longer matches `ifMatch`.
   */
  edit(id: string, changes: EditJob, options?: EditOptions): Promise<EditedJob>
  /**
   * Lets a waiting job start now.
   *
   * @throws ApiError `invalid_transition` if the job is not waiting.
   */
  runNow(id: string, options?: CallOptions): Promise<Job>
  /** Enqueues a new job with the same work and options. After a lost reply the call is not retried. */
  duplicate(id: string, options?: CallOptions): Promise<Job>
}

/** The options of these calls. */
export const changeJobOptions: RulesOfCalls<ChangeJobCalls> = {
  cancel: { at: 1, options: callOptions },
  requeue: { at: 1, options: callOptions, sendsOthers: true },
  edit: { at: 2, options: { ...callOptions, ifMatch: text } },
  runNow: { at: 1, options: callOptions },
  duplicate: { at: 1, options: callOptions },
}

export function changeJobCalls(transport: Transport): ChangeJobCalls {
  const { http, fetchData } = transport
  return {
    async cancel(id, { signal } = {}) {
      try {
        return await fetchData({
          request: `POST /jobs/${id}/cancel`,
          idempotent: true,
          answer: 'job',
          signal,
          fetch: (attemptSignal) =>
            http.POST('/jobs/{id}/cancel', { params: { path: { id } }, signal: attemptSignal }),
        })
      } catch (error) {
        if (isCancelledByLostAttempt(error)) return await getJob(transport, { id, signal })
        throw error
      }
    },

    requeue: (id, { signal, ...query } = {}) =>
      fetchData({
        request: `POST /jobs/${id}/requeue`,
        idempotent: false,
        answer: 'job',
        signal,
        fetch: (attemptSignal) =>
          http.POST('/jobs/{id}/requeue', { params: { path: { id }, query }, signal: attemptSignal }),
      }),

    edit: (id, body, { signal, ifMatch = '*' } = {}) =>
      fetchData({
        request: `PATCH /jobs/${id}`,
        idempotent: false,
        answer: ['job', 'previous'],
        signal,
        fetch: (attemptSignal) =>
          http.PATCH('/jobs/{id}', {
            params: { path: { id }, header: { 'if-match': ifMatch } },
            body,
            signal: attemptSignal,
          }),
      }),

    runNow: (id, { signal } = {}) =>
      fetchData({
        request: `POST /jobs/${id}/run-now`,
        idempotent: false,
        answer: 'job',
        signal,
        fetch: (attemptSignal) =>
          http.POST('/jobs/{id}/run-now', { params: { path: { id } }, signal: attemptSignal }),
      }),

    duplicate: (id, { signal } = {}) =>
      fetchData({
        request: `POST /jobs/${id}/duplicate`,
        idempotent: false,
        answer: 'job',
        signal,
        fetch: (attemptSignal) =>
          http.POST('/jobs/{id}/duplicate', { params: { path: { id } }, signal: attemptSignal }),
      }),
  }
}

/** Whether the job is refused as cancelled because an attempt of the same call, whose reply was lost, cancelled it. */
function isCancelledByLostAttempt(error: unknown): boolean {
  return error instanceof ApiError && error.afterLostReply && error.problem?.job_status === 'cancelled'
}
