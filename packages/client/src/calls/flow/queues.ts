import { callOptions, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type { Queue, QueueKeyList, QueueList, QueuePageQuery, QueueState } from '../../wire.ts'
import { paginate } from '../paginate.ts'

export interface QueueCalls {
  /** All queues with the number of their jobs in each state, by name. */
  queues(options?: CallOptions): AsyncIterable<Queue>
  /** One page of queues. */
  queuesPage(query?: QueuePageQuery, options?: CallOptions): Promise<QueueList>
  /** The keys of a queue with the most waiting jobs, each with its limits. */
  queueKeys(queue: string, query?: { readonly limit?: number }, options?: CallOptions): Promise<QueueKeyList>
  /**
   * Pauses a queue. Once this resolves, no worker starts a job of the queue until it is resumed.
   *
   * @throws ApiError `queue_not_found`.
   */
  pause(queue: string, options?: CallOptions): Promise<QueueState>
  /** @throws ApiError `queue_not_found`. */
  resume(queue: string, options?: CallOptions): Promise<QueueState>
}

/** The options of these calls. */
export const queueOptions: RulesOfCalls<QueueCalls> = {
  queues: { at: 0, options: callOptions, iterates: true },
  queuesPage: { at: 1, options: callOptions },
  queueKeys: { at: 2, options: callOptions },
  pause: { at: 1, options: callOptions },
  resume: { at: 1, options: callOptions },
}

/** The largest page, because `queues` reads all of them. */
const queuesPageSize = 200

export function queueCalls({ http, fetchData }: Transport): QueueCalls {
  const queuesPage: QueueCalls['queuesPage'] = (query = {}, { signal } = {}) =>
    fetchData({
      request: 'GET /queues',
      idempotent: true,
      answer: ['data'],
      signal,
      fetch: (attemptSignal) => http.GET('/queues', { params: { query }, signal: attemptSignal }),
    })

  return {
    queuesPage,
    queues: (options) =>
      paginate((cursor) =>
        queuesPage({ limit: queuesPageSize, ...(cursor !== undefined && { cursor }) }, options),
      ),

    queueKeys: (name, query = {}, { signal } = {}) =>
      fetchData({
        request: `GET /queues/${name}/keys`,
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/queues/{name}/keys', { params: { path: { name }, query }, signal: attemptSignal }),
      }),

    pause: (name, { signal } = {}) =>
      fetchData({
        request: `POST /queues/${name}/pause`,
        idempotent: true,
        answer: ['name', 'paused_at'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/queues/{name}/pause', { params: { path: { name } }, signal: attemptSignal }),
      }),

    resume: (name, { signal } = {}) =>
      fetchData({
        request: `POST /queues/${name}/resume`,
        idempotent: true,
        answer: ['name', 'paused_at'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/queues/{name}/resume', { params: { path: { name } }, signal: attemptSignal }),
      }),
  }
}
