import { isDoneByLostAttempt } from '../../api-error.ts'
import { callOptions, type Rules, type RulesOfCalls, text } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type { ChangeLimit, Limit, LimitList, LimitPageQuery, LimitTarget, SetLimit } from '../../wire.ts'

export interface DeleteLimitOptions extends CallOptions {
  /** The `updated_at` of the limit as you read it. If the limit has changed since, nothing is written. Default: any version. */
  readonly ifUpdatedAt?: string | undefined
}

export interface WriteLimitOptions extends CallOptions {
  /**
   * The `updated_at` of the limit as you read it; null: there was none. If that has changed since, nothing is written,
   * unless the limit already is as the call would make it. Default: any version.
   */
  readonly ifUpdatedAt?: string | null | undefined
}

export interface LimitCalls {
  /** One page of the limits, by queue, scope and name. */
  limitsPage(query?: LimitPageQuery, options?: CallOptions): Promise<LimitList>
  /**
   * Sets the limit of a queue, of a kind in it or of its keys. Once this resolves, no worker starts a job over the limit.
   *
   * @throws ApiError `invalid_limit`, `limit_changed` if the limit is no longer as `ifUpdatedAt` says.
   */
  setLimit(limit: SetLimit, options?: WriteLimitOptions): Promise<Limit>
  /**
   * Changes the members of a limit that are given; the others stay as they are, and null removes one. Sets the limit if there is
   * none, and deletes it if nothing is left of it: the result then limits nothing.
   *
   * @throws ApiError `invalid_limit`, `limit_changed` if the limit is no longer as `ifUpdatedAt` says.
   */
  changeLimit(change: ChangeLimit, options?: WriteLimitOptions): Promise<Limit>
  /**
   * Deletes a limit. It succeeds if the limit is missing because an earlier attempt, whose reply was lost, deleted it.
   *
   * @throws ApiError `limit_not_found`, `limit_changed` if the limit is no longer as `ifUpdatedAt` says.
   */
  deleteLimit(target: LimitTarget, options?: DeleteLimitOptions): Promise<void>
}

const writeOptions: Rules<WriteLimitOptions> = {
  ...callOptions,
  ifUpdatedAt: (value) => (value === null ? undefined : text(value)),
}

/** The options of these calls. */
export const limitOptions: RulesOfCalls<LimitCalls> = {
  limitsPage: { at: 1, options: callOptions },
  setLimit: { at: 1, options: writeOptions },
  changeLimit: { at: 1, options: writeOptions },
  deleteLimit: { at: 1, options: { ...callOptions, ifUpdatedAt: text } },
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

    setLimit: (body, { signal, ifUpdatedAt } = {}) =>
      fetchData({
        request: 'PUT /limits',
        idempotent: true,
        answer: ['scope'],
        signal,
        fetch: (attemptSignal) =>
          http.PUT('/limits', { params: { header: headersOf(ifUpdatedAt) }, body, signal: attemptSignal }),
      }),

    changeLimit: (body, { signal, ifUpdatedAt } = {}) =>
      fetchData({
        request: 'PATCH /limits',
        idempotent: true,
        answer: ['scope'],
        signal,
        fetch: (attemptSignal) =>
          http.PATCH('/limits', { params: { header: headersOf(ifUpdatedAt) }, body, signal: attemptSignal }),
      }),

    async deleteLimit(query, { signal, ifUpdatedAt } = {}) {
      try {
        await fetchData({
          request: 'DELETE /limits',
          idempotent: true,
          answer: 'nothing',
          signal,
          fetch: (attemptSignal) =>
            http.DELETE('/limits', {
              params: { query, header: headersOf(ifUpdatedAt) },
              signal: attemptSignal,
            }),
        })
      } catch (error) {
        if (!isDoneByLostAttempt(error, 'limit_not_found')) throw error
      }
    },
  }
}

/** The condition of a write. The ETag of a limit is its `updated_at`. */
function headersOf(ifUpdatedAt: string | null | undefined) {
  if (ifUpdatedAt === undefined) return {}
  return ifUpdatedAt === null ? ({ 'if-none-match': '*' } as const) : { 'if-match': `"${ifUpdatedAt}"` }
}
