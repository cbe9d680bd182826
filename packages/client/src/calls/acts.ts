import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type {
  ActOnJobs,
  ActResult,
  EditedJob,
  EditJob,
  Job,
  ManyOptions,
  Operation,
  OperationFilter,
  OperationList,
  OperationPageQuery,
  RescheduleJobs,
  UndoReschedule,
} from '../wire.ts'
import { paginate } from './paginate.ts'

/** How a job is edited. */
export interface EditOptions extends CallOptions {
  /** The ETag of the job as it was read: where it has changed since, nothing is. Absent: whatever it is now. */
  readonly ifMatch?: string | undefined
}

/**
 * Acts on the jobs of a filter. Where they are many, the answer has an `operation`, which workers carry out. After a lost reply
 * none is sent again, unless it only counts (`dry_run`).
 */
export interface ActsOnJobs {
  cancelJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  requeueJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  rescheduleJobs(act: RescheduleJobs, options?: CallOptions): Promise<ActResult>
  /**
   * Takes back a reschedule that was done at once, by the `previous` of its answer. Jobs that were changed since stay as they are,
   * and are counted as skipped.
   */
  undoReschedule(undo: UndoReschedule, options?: CallOptions): Promise<ActResult>
  /** Removes those that do not run. */
  deleteJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  /** Removes those that do not run, and what names them in the audit log. */
  eraseJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  /** Removes what waits in a queue. */
  purge(queue: string, how?: ManyOptions, options?: CallOptions): Promise<ActResult>
  /** @throws ApiError `operation_not_found`. */
  operation(id: string, options?: CallOptions): Promise<Operation>
  /** All operations that the filter lets through, the newest first. */
  operations(filter?: OperationFilter, options?: CallOptions): AsyncIterable<Operation>
  /** One page of them. */
  operationsPage(query?: OperationPageQuery, options?: CallOptions): Promise<OperationList>
  /** Once this resolves, it changes no further job. One that has ended stays as it is. */
  cancelOperation(id: string, options?: CallOptions): Promise<Operation>
  /**
   * Changes a waiting job.
   *
   * @throws ApiError `invalid_transition` if it does not wait, `job_changed` if it is not the one of `ifMatch`.
   */
  edit(id: string, changes: EditJob, options?: EditOptions): Promise<EditedJob>
  /** @throws ApiError `invalid_transition` if the job does not wait. */
  runNow(id: string, options?: CallOptions): Promise<Job>
  /** Enqueues another job with the same work and options. After a lost reply it is not sent again. */
  duplicate(id: string, options?: CallOptions): Promise<Job>
}

type ByFilter = '/jobs/cancel' | '/jobs/requeue' | '/jobs/delete' | '/jobs/erase'

export function actCalls(transport: Transport): ActsOnJobs {
  const { http, send } = transport
  const byFilter =
    (path: ByFilter): ActsOnJobs['cancelJobs'] =>
    async (body, { signal } = {}) => {
      const { data } = await send({
        request: `POST ${path}`,
        repetition: body.dry_run === true ? 'freely' : 'unless_effective',
        signal,
        fetch: (attempt) => http.POST(path, { body, signal: attempt }),
      })
      return data
    }
  return {
    cancelJobs: byFilter('/jobs/cancel'),
    requeueJobs: byFilter('/jobs/requeue'),
    deleteJobs: byFilter('/jobs/delete'),
    eraseJobs: byFilter('/jobs/erase'),

    async rescheduleJobs(body, { signal } = {}) {
      const { data } = await send({
        request: 'POST /jobs/reschedule',
        // The second answer would say when they could start after the first.
        repetition: body.dry_run === true ? 'freely' : 'unless_effective',
        signal,
        fetch: (attempt) => http.POST('/jobs/reschedule', { body, signal: attempt }),
      })
      return data
    },

    async undoReschedule(body, { signal } = {}) {
      const { data } = await send({
        request: 'POST /jobs/undo-reschedule',
        repetition: 'unless_effective',
        signal,
        fetch: (attempt) => http.POST('/jobs/undo-reschedule', { body, signal: attempt }),
      })
      return data
    },

    async purge(name, body = {}, { signal } = {}) {
      const { data } = await send({
        request: `POST /queues/${name}/purge`,
        repetition: body.dry_run === true ? 'freely' : 'unless_effective',
        signal,
        fetch: (attempt) =>
          http.POST('/queues/{name}/purge', { params: { path: { name } }, body, signal: attempt }),
      })
      return data
    },
    ...operationCalls(transport),
    ...editCalls(transport),
  }
}

function operationCalls({
  http,
  send,
}: Transport): Pick<ActsOnJobs, 'operation' | 'operations' | 'operationsPage' | 'cancelOperation'> {
  const operationsPage: ActsOnJobs['operationsPage'] = async (query = {}, { signal } = {}) => {
    const { data } = await send({
      request: 'GET /operations',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/operations', { params: { query }, signal: attempt }),
    })
    return data
  }
  return {
    operationsPage,
    operations: (filter = {}, options) =>
      paginate((cursor) => operationsPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    async operation(id, { signal } = {}) {
      const { data } = await send({
        request: `GET /operations/${id}`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/operations/{id}', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },

    async cancelOperation(id, { signal } = {}) {
      const { data } = await send({
        request: `POST /operations/${id}/cancel`,
        repetition: 'freely',
        signal,
        fetch: (attempt) =>
          http.POST('/operations/{id}/cancel', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },
  }
}

function editCalls({ http, send }: Transport): Pick<ActsOnJobs, 'edit' | 'runNow' | 'duplicate'> {
  return {
    async edit(id, body, { signal, ifMatch = '*' } = {}) {
      const params = { path: { id }, header: { 'if-match': ifMatch } }
      const { data } = await send({
        request: `PATCH /jobs/${id}`,
        repetition: 'unless_effective',
        signal,
        fetch: (attempt) => http.PATCH('/jobs/{id}', { params, body, signal: attempt }),
      })
      return data
    },

    async runNow(id, { signal } = {}) {
      const { data } = await send({
        request: `POST /jobs/${id}/run-now`,
        repetition: 'unless_effective',
        signal,
        fetch: (attempt) => http.POST('/jobs/{id}/run-now', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },

    async duplicate(id, { signal } = {}) {
      const { data } = await send({
        request: `POST /jobs/${id}/duplicate`,
        repetition: 'unless_effective',
        signal,
        fetch: (attempt) => http.POST('/jobs/{id}/duplicate', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },
  }
}
