import { isDoneByLostAttempt } from '../api-error.ts'
import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { ChangeLimit, Limit, LimitList, LimitPageQuery, LimitTarget, SetLimit } from '../wire.ts'

export interface LimitCalls {
  /** One page of the limits, by queue, scope and name. */
  limitsPage(query?: LimitPageQuery, options?: CallOptions): Promise<LimitList>
  /**
   * Sets the limit of a queue, of a kind in it or of its keys. Once this resolves, no worker starts a job over the limit.
   *
   * @throws ApiError `invalid_limit`.
   */
  setLimit(limit: SetLimit, options?: CallOptions): Promise<Limit>
  /**
   * Changes the members of a limit that are given; the others stay as they are, and null removes one. Sets the limit if there is
   * none, and deletes it if nothing is left of it: the result then limits nothing.
   *
   * @throws ApiError `invalid_limit`.
   */
  changeLimit(change: ChangeLimit, options?: CallOptions): Promise<Limit>
  /**
   * Deletes a limit. It succeeds if the limit is missing because an earlier attempt, whose reply was lost, deleted it.
   *
   * @throws ApiError `limit_not_found`.
   */
  deleteLimit(target: LimitTarget, options?: CallOptions): Promise<void>
}

export function limitCalls({ http, fetchData }: Transport): LimitCalls {
  return {
    limitsPage: (query = {}, { signal } = {}) =>
      fetchData({
        request: 'GET /limits',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.GET('/limits', { params: { query }, signal: attemptSignal }),
      }),

    setLimit: (body, { signal } = {}) =>
      fetchData({
        request: 'PUT /limits',
        idempotent: true,
        answer: ['scope'],
        signal,
        fetch: (attemptSignal) => http.PUT('/limits', { body, signal: attemptSignal }),
      }),

    changeLimit: (body, { signal } = {}) =>
      fetchData({
        request: 'PATCH /limits',
        idempotent: true,
        answer: ['scope'],
        signal,
        fetch: (attemptSignal) => http.PATCH('/limits', { body, signal: attemptSignal }),
      }),

    async deleteLimit(query, { signal } = {}) {
      try {
        await fetchData({
          request: 'DELETE /limits',
          idempotent: true,
          answer: 'nothing',
          signal,
          fetch: (attemptSignal) => http.DELETE('/limits', { params: { query }, signal: attemptSignal }),
        })
      } catch (error) {
        if (!isDoneByLostAttempt(error, 'limit_not_found')) throw error
      }
    },
  }
}
