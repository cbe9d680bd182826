import { ApiError } from '../api-error.ts'
import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type {
  Execution,
  ExpectedStart,
  Why,
  Job,
  JobFilter,
  JobList,
  JobPageQuery,
  JobStateSummary,
  LogList,
  LogPageQuery,
  RequeueQuery,
} from '../wire.ts'
import { getJob } from './get-job.ts'
import { paginate } from './paginate.ts'
import { waitForEnd, type WaitForOptions } from './wait-for-end.ts'

/** When the requeued job is cancelled if it has not begun by then, and how the call is made. */
export type RequeueOptions = RequeueQuery & CallOptions

export interface Jobs {
  /** @throws ApiError `job_not_found`. */
  get(id: string, options?: CallOptions): Promise<Job>
  /** All jobs that the filter lets through, the newest first; those enqueued meanwhile are not among them. */
  jobs(filter?: JobFilter, options?: CallOptions): AsyncIterable<Job>
  /** One page of them. It may be short, or empty, and have a `next_cursor` all the same. */
  jobsPage(query?: JobPageQuery, options?: CallOptions): Promise<JobList>
  /** The attempts of a job, the oldest first. */
  executions(id: string, options?: CallOptions): Promise<Execution[]>
  /** What changes of up to 200 jobs while they run, in no order; those that are not there are left out. */
  states(ids: readonly string[], options?: CallOptions): Promise<JobStateSummary[]>
  /** When a waiting job will begin, or why nobody can say. */
  expectedStart(id: string, options?: CallOptions): Promise<ExpectedStart>
  /** Why a job does not start, and what would end each reason. */
  why(id: string, options?: CallOptions): Promise<Why>
  /** One page of what the handler of a job has logged, in order. */
  logsPage(id: string, query?: LogPageQuery, options?: CallOptions): Promise<LogList>
  /**
   * Cancels a job. A waiting one comes back cancelled; a running one with `cancel_requested`, to stop at its next safe
   * point.
   *
   * @throws ApiError `invalid_transition` if it has ended.
   */
  cancel(id: string, options?: CallOptions): Promise<Job>
  /**
   * Queues an ended job anew. After a lost reply it is not sent again, since the job may have run and ended by then. One whose expiry
   * is past needs a later one.
   *
   * @throws ApiError `invalid_transition` if it has not ended.
   */
  requeue(id: string, options?: RequeueOptions): Promise<Job>
  /**
   * The job, when it has ended.
   *
   * @throws WaitTimeoutError if it has not within `timeoutMs`.
   */
  waitFor(job: string | Job, options?: WaitForOptions): Promise<Job>
}

export function jobCalls(transport: Transport): Jobs {
  const { http, send } = transport

  const jobsPage: Jobs['jobsPage'] = async (query = {}, { signal } = {}) => {
    const { data } = await send({
      request: 'GET /jobs',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/jobs', { params: { query }, signal: attempt }),
    })
    return data
  }

  const get: Jobs['get'] = (id, { signal } = {}) => getJob(transport, { id, signal })

  return {
    get,
    jobsPage,
    jobs: (filter = {}, options) =>
      paginate((cursor) => jobsPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    async executions(id, { signal } = {}) {
      const { data } = await send({
        request: `GET /jobs/${id}/executions`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/jobs/{id}/executions', { params: { path: { id } }, signal: attempt }),
      })
      return data.data
    },

    async states(ids, { signal } = {}) {
      const { data } = await send({
        request: 'POST /jobs/states',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.POST('/jobs/states', { body: { ids: [...ids] }, signal: attempt }),
      })
      return data.data
    },

    async expectedStart(id, { signal } = {}) {
      const { data } = await send({
        request: `GET /jobs/${id}/expected-start`,
        repetition: 'freely',
        signal,
        fetch: (attempt) =>
          http.GET('/jobs/{id}/expected-start', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },

    async why(id, { signal } = {}) {
      const { data } = await send({
        request: `GET /jobs/${id}/why`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/jobs/{id}/why', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },

    async logsPage(id, query = {}, { signal } = {}) {
      const { data } = await send({
        request: `GET /jobs/${id}/logs`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/jobs/{id}/logs', { params: { path: { id }, query }, signal: attempt }),
      })
      return data
    },

    async cancel(id, { signal } = {}) {
      const cancelling = send({
        request: `POST /jobs/${id}/cancel`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.POST('/jobs/{id}/cancel', { params: { path: { id } }, signal: attempt }),
      })
      try {
        return (await cancelling).data
      } catch (error) {
        // The attempt whose reply was lost has cancelled it.
        if (isOwnCancel(error)) return await get(id, { signal })
        throw error
      }
    },

    async requeue(id, { signal, ...query } = {}) {
      const { data } = await send({
        request: `POST /jobs/${id}/requeue`,
        repetition: 'unless_effective',
        signal,
        fetch: (attempt) =>
          http.POST('/jobs/{id}/requeue', { params: { path: { id }, query }, signal: attempt }),
      })
      return data
    },

    waitFor: (job, options = {}) => waitForEnd(transport, { ...options, job }),
  }
}

function isOwnCancel(error: unknown): boolean {
  return error instanceof ApiError && error.afterLostReply && error.problem?.job_status === 'cancelled'
}
