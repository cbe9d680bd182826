import { callOptions, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type {
  ActOnJobs,
  ActResult,
  ManyOptions,
  Operation,
  OperationFilter,
  OperationList,
  OperationPageQuery,
  RescheduleJobs,
  UndoCancel,
  UndoRequeue,
  UndoReschedule,
} from '../../wire.ts'
import { assertGiven } from '../assert-given.ts'
import { paginate } from '../paginate.ts'

/**
 * Actions on all jobs that match a filter. If the jobs are many, the result has an `operation`, which workers carry out.
 * After a lost reply, an action is not retried unless it is a dry run. A member of a filter that is undefined is a
 * InvalidCall. A filter without a condition is refused with `selects_everything`, unless `all` is true.
 */
export interface BulkActionCalls {
  /** Cancels the matching jobs. */
  cancelJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  /** Requeues the matching jobs. */
  requeueJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  /** Moves the earliest start of the matching jobs. */
  rescheduleJobs(act: RescheduleJobs, options?: CallOptions): Promise<ActResult>
  /**
   * Undoes a reschedule that was done at once. It takes the `previous` of the result of `rescheduleJobs`. Jobs that have
   * changed since are left alone and counted as skipped.
   */
  undoReschedule(undo: UndoReschedule, options?: CallOptions): Promise<ActResult>
  /**
   * Undoes a cancel that was done at once. It takes the `cancelled` of the result of `cancelJobs`, or the previous
   * status of a job and its `updated_at` after `cancel`. Jobs that have changed since, and jobs whose unique key another
   * job holds, are left alone and counted as skipped. @throws ApiError `unique_conflict` where keys leave none.
   */
  undoCancel(undo: UndoCancel, options?: CallOptions): Promise<ActResult>
  /**
   * Undoes a requeue that was done at once. It takes the `requeued` of the result of `requeueJobs` or
   * `requeueDeadLetters`, or the `updated_at` of a job after `requeue` or `requeueDeadLetter`. Jobs that have started or
   * changed since are left alone and counted as skipped, and so are all of them an hour after the requeue.
   */
  undoRequeue(undo: UndoRequeue, options?: CallOptions): Promise<ActResult>
  /** Deletes the matching jobs that are not running. */
  deleteJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  /** Deletes the matching jobs that are not running, and removes their ids from the audit log. Always an `operation`. */
  eraseJobs(act: ActOnJobs, options?: CallOptions): Promise<ActResult>
  /** Deletes all waiting jobs of a queue. */
  purge(queue: string, how?: ManyOptions, options?: CallOptions): Promise<ActResult>
  /** @throws ApiError `operation_not_found`. */
  operation(id: string, options?: CallOptions): Promise<Operation>
  /** All operations that match the filter, the newest first. */
  operations(filter?: OperationFilter, options?: CallOptions): AsyncIterable<Operation>
  /** One page of operations. */
  operationsPage(query?: OperationPageQuery, options?: CallOptions): Promise<OperationList>
  /**
   * Cancels an operation. Once this resolves, it changes no further job. An operation that has ended stays as it is.
   */
  cancelOperation(id: string, options?: CallOptions): Promise<Operation>
}

/** The options of these calls. */
export const bulkActionOptions: RulesOfCalls<BulkActionCalls> = {
  cancelJobs: { at: 1, options: callOptions },
  requeueJobs: { at: 1, options: callOptions },
  rescheduleJobs: { at: 1, options: callOptions },
  undoReschedule: { at: 1, options: callOptions },
  undoCancel: { at: 1, options: callOptions },
  undoRequeue: { at: 1, options: callOptions },
  deleteJobs: { at: 1, options: callOptions },
  eraseJobs: { at: 1, options: callOptions },
  purge: { at: 2, options: callOptions },
  operation: { at: 1, options: callOptions },
  operations: { at: 1, options: callOptions, iterates: true },
  operationsPage: { at: 1, options: callOptions },
  cancelOperation: { at: 1, options: callOptions },
}

type BulkPath = '/jobs/cancel' | '/jobs/requeue' | '/jobs/delete' | '/jobs/erase'

export function bulkActionCalls(transport: Transport): BulkActionCalls {
  const { http, fetchData } = transport
  const bulkAction =
    (path: BulkPath): BulkActionCalls['cancelJobs'] =>
    async (body, { signal } = {}) => {
      assertGiven(body.filter)
      return fetchData({
        request: `POST ${path}`,
        idempotent: body.dry_run === true,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) => http.POST(path, { body, signal: attemptSignal }),
      })
    }

  return {
    cancelJobs: bulkAction('/jobs/cancel'),
    requeueJobs: bulkAction('/jobs/requeue'),
    deleteJobs: bulkAction('/jobs/delete'),
    eraseJobs: bulkAction('/jobs/erase'),

    rescheduleJobs: async (body, { signal } = {}) => {
      assertGiven(body.filter)
      return fetchData({
        request: 'POST /jobs/reschedule',
        // `previous` of a second response would have the start that the first request has set.
        idempotent: body.dry_run === true,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) => http.POST('/jobs/reschedule', { body, signal: attemptSignal }),
      })
    },

    undoReschedule: (body, { signal } = {}) =>
      fetchData({
        request: 'POST /jobs/undo-reschedule',
        idempotent: false,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) => http.POST('/jobs/undo-reschedule', { body, signal: attemptSignal }),
      }),

    undoCancel: (body, { signal } = {}) =>
      fetchData({
        request: 'POST /jobs/undo-cancel',
        idempotent: false,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) => http.POST('/jobs/undo-cancel', { body, signal: attemptSignal }),
      }),

    undoRequeue: (body, { signal } = {}) =>
      fetchData({
        request: 'POST /jobs/undo-requeue',
        idempotent: false,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) => http.POST('/jobs/undo-requeue', { body, signal: attemptSignal }),
      }),

    purge: (name, body = {}, { signal } = {}) =>
      fetchData({
        request: `POST /queues/${name}/purge`,
        idempotent: body.dry_run === true,
        answer: ['count', 'job_ids'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/queues/{name}/purge', { params: { path: { name } }, body, signal: attemptSignal }),
      }),

    ...operationCalls(transport),
  }
}

type OperationCalls = Pick<BulkActionCalls, 'operation' | 'operations' | 'operationsPage' | 'cancelOperation'>

function operationCalls({ http, fetchData }: Transport): OperationCalls {
  const operationsPage: OperationCalls['operationsPage'] = (query = {}, { signal } = {}) =>
    fetchData({
      request: 'GET /operations',
      idempotent: true,
      answer: ['data'],
      signal,
      fetch: (attemptSignal) => http.GET('/operations', { params: { query }, signal: attemptSignal }),
    })

  return {
    operationsPage,
    operations: (filter = {}, options) =>
      paginate((cursor) => operationsPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    operation: (id, { signal } = {}) =>
      fetchData({
        request: `GET /operations/${id}`,
        idempotent: true,
        answer: ['id', 'state'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/operations/{id}', { params: { path: { id } }, signal: attemptSignal }),
      }),

    cancelOperation: (id, { signal } = {}) =>
      fetchData({
        request: `POST /operations/${id}/cancel`,
        idempotent: true,
        answer: ['id', 'state'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/operations/{id}/cancel', { params: { path: { id } }, signal: attemptSignal }),
      }),
  }
}
