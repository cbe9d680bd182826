import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { Queue, QueueState, Worker } from '../wire.ts'

export interface Queues {
  /** Every queue with its depth by state. */
  queues(options?: CallOptions): Promise<Queue[]>
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

export function queueCalls({ http, send }: Transport): Queues {
  return {
    async queues({ signal } = {}) {
      const { data } = await send({
        request: 'GET /queues',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/queues', { signal: attempt }),
      })
      return data.data
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
