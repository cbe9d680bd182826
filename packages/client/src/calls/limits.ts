import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { Limit, LimitList, LimitPageQuery, LimitTarget, SetLimit } from '../wire.ts'

export interface Limits {
  /** One page of the limits, by queue, scope and name. */
  limitsPage(query?: LimitPageQuery, options?: CallOptions): Promise<LimitList>
  /**
   * Sets what holds for a queue, a kind in it or its keys. Once this resolves, no worker starts a job beyond it.
   *
   * @throws ApiError `invalid_limit`.
   */
  setLimit(limit: SetLimit, options?: CallOptions): Promise<Limit>
  /** @throws ApiError `limit_not_found`. */
  deleteLimit(target: LimitTarget, options?: CallOptions): Promise<void>
}

export function limitCalls({ http, send }: Transport): Limits {
  return {
    async limitsPage(query = {}, { signal } = {}) {
      const { data } = await send({
        request: 'GET /limits',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/limits', { params: { query }, signal: attempt }),
      })
      return data
    },

    async setLimit(limit, { signal } = {}) {
      const { data } = await send({
        request: 'PUT /limits',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.PUT('/limits', { body: limit, signal: attempt }),
      })
      return data
    },

    async deleteLimit(target, { signal } = {}) {
      await send({
        request: 'DELETE /limits',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.DELETE('/limits', { params: { query: target }, signal: attempt }),
      })
    },
  }
}
