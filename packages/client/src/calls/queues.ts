import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type {
  Attention,
  Diagnosis,
  Queue,
  QueueKeyList,
  QueueList,
  QueuePageQuery,
  QueueState,
  Stats,
  StatsQuery,
  Worker,
} from '../wire.ts'
import { paginate } from './paginate.ts'

export interface Queues {
  /** All queues with their depth by state, by name. */
  queues(options?: CallOptions): AsyncIterable<Queue>
  /** One page of them. */
  queuesPage(query?: QueuePageQuery, options?: CallOptions): Promise<QueueList>
  /** The keys of a queue of which the most jobs wait, with what limits each. */
  queueKeys(queue: string, query?: { readonly limit?: number }, options?: CallOptions): Promise<QueueKeyList>
  /** What has happened to jobs over time, by minute, hour or day. */
  stats(query?: StatsQuery, options?: CallOptions): Promise<Stats>
  /** What needs somebody now, the worst first. */
  attention(options?: CallOptions): Promise<Attention[]>
  /** What doctor finds wrong with the schema, the server and the queue, failures first. It may be 10 s old. */
  diagnosis(options?: CallOptions): Promise<Diagnosis>
  /** Every registered worker. */
  workers(options?: CallOptions): Promise<Worker[]>
  /**
   * Once this resolves, no worker starts a job of the queue until it is resumed.
   *
   * @throws ApiError `queue_not_found`.
   */
  pause(queue: string, options?: CallOptions): Promise<QueueState>
  /** @throws ApiError `queue_not_found`. */
  resume(queue: string, options?: CallOptions): Promise<QueueState>
}

/** As many as a page may have: all are wanted. */
const pageQueuesMax = 200

export function queueCalls({ http, send }: Transport): Queues {
  const queuesPage: Queues['queuesPage'] = async (query = {}, { signal } = {}) => {
    const { data } = await send({
      request: 'GET /queues',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/queues', { params: { query }, signal: attempt }),
    })
    return data
  }

  return {
    queuesPage,
    queues: (options) =>
      paginate((cursor) =>
        queuesPage({ limit: pageQueuesMax, ...(cursor !== undefined && { cursor }) }, options),
      ),

    async queueKeys(name, query = {}, { signal } = {}) {
      const { data } = await send({
        request: `GET /queues/${name}/keys`,
        repetition: 'freely',
        signal,
        fetch: (attempt) =>
          http.GET('/queues/{name}/keys', { params: { path: { name }, query }, signal: attempt }),
      })
      return data
    },

    async stats(query = {}, { signal } = {}) {
      const { data } = await send({
        request: 'GET /stats',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/stats', { params: { query }, signal: attempt }),
      })
      return data
    },

    async attention({ signal } = {}) {
      const { data } = await send({
        request: 'GET /attention',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/attention', { signal: attempt }),
      })
      return data.data
    },

    async diagnosis({ signal } = {}) {
      const { data } = await send({
        request: 'GET /diagnosis',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/diagnosis', { signal: attempt }),
      })
      return data
    },

    async workers({ signal } = {}) {
      const { data } = await send({
        request: 'GET /workers',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/workers', { signal: attempt }),
      })
      return data.data
    },

    async pause(name, { signal } = {}) {
      const { data } = await send({
        request: `POST /queues/${name}/pause`,
        repetition: 'freely',
        signal,
        fetch: (attempt) =>
          http.POST('/queues/{name}/pause', { params: { path: { name } }, signal: attempt }),
      })
      return data
    },

    async resume(name, { signal } = {}) {
      const { data } = await send({
        request: `POST /queues/${name}/resume`,
        repetition: 'freely',
        signal,
        fetch: (attempt) =>
          http.POST('/queues/{name}/resume', { params: { path: { name } }, signal: attempt }),
      })
      return data
    },
  }
}
