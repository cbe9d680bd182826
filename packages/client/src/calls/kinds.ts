import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { KindSummary, KindVersions, RegisteredKinds, RegisterKinds } from '../wire.ts'

export interface KindRegistry {
  /** Every kind that the API takes or has taken, by name. */
  kinds(options?: CallOptions): Promise<KindSummary[]>
  /**
   * One kind with its versions, the newest first: schema, defaults, live workers.
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
   * Once this resolves, no further jobs of the kind are taken.
   *
   * @throws ApiError `kind_not_found`.
   */
  retireKind(name: string, options?: CallOptions): Promise<void>
}

export function kindCalls({ http, send }: Transport): KindRegistry {
  return {
    kinds: async ({ signal } = {}) => {
      const { data } = await send({
        request: 'GET /kinds',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/kinds', { signal: attempt }),
      })
      return data.data
    },
    kind: async (kind, { signal } = {}) => {
      const { data } = await send({
        request: `GET /kinds/${kind}`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/kinds/{kind}', { params: { path: { kind } }, signal: attempt }),
      })
      return data
    },
    registerKinds: async (body, { signal } = {}) => {
      const { data } = await send({
        request: 'POST /kinds',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.POST('/kinds', { body, signal: attempt }),
      })
      return data.data
    },
    retireKind: async (kind, { signal } = {}) => {
      await send({
        request: `DELETE /kinds/${kind}`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.DELETE('/kinds/{kind}', { params: { path: { kind } }, signal: attempt }),
      })
    },
  }
}
