import { assertList } from '../../invalid-call.ts'
import { callOptions, milliseconds, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
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
} from '../../wire.ts'
import { getJob } from './get-job.ts'
import { paginate } from '../paginate.ts'
import { waitForEnd, type WaitForOptions } from './wait-for-end.ts'

/** Reads of jobs. */
export interface JobCalls {
  /** @throws ApiError `job_not_found`. */
  get(id: string, options?: CallOptions): Promise<Job>
  /** All jobs that match the filter, the newest first. Jobs that are enqueued during the iteration are not included. */
  jobs(filter?: JobFilter, options?: CallOptions): AsyncIterable<Job>
  /** One page of jobs. A page that is short or empty may still have a `next_cursor`. */
  jobsPage(query?: JobPageQuery, options?: CallOptions): Promise<JobList>
  /** The attempts of a job, the oldest first. */
  executions(id: string, options?: CallOptions): Promise<Execution[]>
  /** The current state of up to 200 jobs, in no particular order. Ids of unknown jobs are left out. */
  states(ids: readonly string[], options?: CallOptions): Promise<JobStateSummary[]>
  /** When a waiting job is expected to start, or why that cannot be estimated. */
  expectedStart(id: string, options?: CallOptions): Promise<ExpectedStart>
  /** Why a job does not start, and what would resolve each reason. */
  why(id: string, options?: CallOptions): Promise<Why>
  /** One page of the log lines of a job, the oldest first. */
  logsPage(id: string, query?: LogPageQuery, options?: CallOptions): Promise<LogList>
  /**
   * Waits until a job has ended, and returns it.
   *
   * @throws WaitTimeoutError if the job has not ended within `timeoutMs`.
   */
  waitFor(job: string | Job, options?: WaitForOptions): Promise<Job>
}

/** The options of these calls. */
export const jobOptions: RulesOfCalls<JobCalls> = {
  get: { at: 1, options: callOptions },
  jobs: { at: 1, options: callOptions, iterates: true },
  jobsPage: { at: 1, options: callOptions },
  executions: { at: 1, options: callOptions },
  states: { at: 1, options: callOptions },
  expectedStart: { at: 1, options: callOptions },
  why: { at: 1, options: callOptions },
  logsPage: { at: 2, options: callOptions },
  waitFor: { at: 1, options: { ...callOptions, timeoutMs: milliseconds } },
}

export function jobCalls(transport: Transport): JobCalls {
  const { http, fetchData } = transport
  const jobsPage: JobCalls['jobsPage'] = (query = {}, { signal } = {}) =>
    fetchData({
      request: 'GET /jobs',
      idempotent: true,
      answer: ['data'],
      signal,
      fetch: (attemptSignal) => http.GET('/jobs', { params: { query }, signal: attemptSignal }),
    })

  return {
    get: (id, { signal } = {}) => getJob(transport, { id, signal }),
    jobsPage,
    jobs: (filter = {}, options) =>
      paginate((cursor) => jobsPage(cursor === undefined ? filter : { ...filter, cursor }, options)),
    waitFor: (job, options = {}) => waitForEnd(transport, { ...options, job }),

    async states(ids, { signal } = {}) {
      assertList('ids', ids, 'string')
      const { data: states } = await fetchData({
        request: 'POST /jobs/states',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/jobs/states', { body: { ids: [...ids] }, signal: attemptSignal }),
      })
      return states
    },

    ...detailCalls(transport),
  }
}

type DetailCalls = Pick<JobCalls, 'executions' | 'expectedStart' | 'why' | 'logsPage'>

function detailCalls({ http, fetchData }: Transport): DetailCalls {
  return {
    async executions(id, { signal } = {}) {
      const { data: executions } = await fetchData({
        request: `GET /jobs/${id}/executions`,
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/jobs/{id}/executions', { params: { path: { id } }, signal: attemptSignal }),
      })
      return executions
    },

    expectedStart: (id, { signal } = {}) =>
      fetchData({
        request: `GET /jobs/${id}/expected-start`,
        idempotent: true,
        answer: ['expected_at', 'place'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/jobs/{id}/expected-start', { params: { path: { id } }, signal: attemptSignal }),
      }),

    why: (id, { signal } = {}) =>
      fetchData({
        request: `GET /jobs/${id}/why`,
        idempotent: true,
        answer: ['reasons'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/jobs/{id}/why', { params: { path: { id } }, signal: attemptSignal }),
      }),

    logsPage: (id, query = {}, { signal } = {}) =>
      fetchData({
        request: `GET /jobs/${id}/logs`,
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/jobs/{id}/logs', { params: { path: { id }, query }, signal: attemptSignal }),
      }),
  }
}
