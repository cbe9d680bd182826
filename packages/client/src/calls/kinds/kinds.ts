import { callOptions, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type { KindSummary, KindVersions, RegisteredKinds, RegisterKinds } from '../../wire.ts'

export interface KindCalls {
  /** All kinds, retired ones included, by name. */
  kinds(options?: CallOptions): Promise<KindSummary[]>
  /**
   * One kind with its versions, the newest first: schema, defaults and live workers of each.
   *
   * @throws ApiError `kind_not_found`.
   */
  kind(name: string, options?: CallOptions): Promise<KindVersions>
  /**
   * Registers versions of kinds, all or none.
   *
   * @throws ApiError `invalid_kind`, `kind_conflict`.
   */
  registerKinds(kinds: RegisterKinds, options?: CallOptions): Promise<RegisteredKinds['data']>
  /**
   * Retires a kind. Once this resolves, the API accepts no further jobs of it.
   *
   * @throws ApiError `kind_not_found`.
   */
  retireKind(name: string, options?: CallOptions): Promise<void>
}

/** The options of these calls. */
export const kindOptions: RulesOfCalls<KindCalls> = {
  kinds: { at: 0, options: callOptions },
  kind: { at: 1, options: callOptions },
  registerKinds: { at: 1, options: callOptions },
  retireKind: { at: 1, options: callOptions },
}

export function kindCalls({ http, fetchData }: Transport): KindCalls {
  return {
    async kinds({ signal } = {}) {
      const { data: kinds } = await fetchData({
        request: 'GET /kinds',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.GET('/kinds', { signal: attemptSignal }),
      })
      return kinds
    },

    kind: (kind, { signal } = {}) =>
      fetchData({
        request: `GET /kinds/${kind}`,
        idempotent: true,
        answer: ['kind'],
        signal,
        fetch: (attemptSignal) =>
          http.GET('/kinds/{kind}', { params: { path: { kind } }, signal: attemptSignal }),
      }),

    async registerKinds(body, { signal } = {}) {
      const { data: registered } = await fetchData({
        request: 'POST /kinds',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.POST('/kinds', { body, signal: attemptSignal }),
      })
      return registered
    },

    async retireKind(kind, { signal } = {}) {
      await fetchData({
        request: `DELETE /kinds/${kind}`,
        idempotent: true,
        answer: 'nothing',
        signal,
        fetch: (attemptSignal) =>
          http.DELETE('/kinds/{kind}', { params: { path: { kind } }, signal: attemptSignal }),
      })
    },
  }
}
