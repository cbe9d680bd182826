import type { CallOptions } from '../options.ts'
import type { Transport } from '../transport.ts'
import type { AuditEntry, AuditFilter, AuditList, AuditPageQuery, JobLink, Key, Me } from '../wire.ts'
import { paginate } from './paginate.ts'

export interface Access {
  /** Whose the key of this client is, and what it may do. */
  me(options?: CallOptions): Promise<Me>
  /** Every key that was ever made, the newest first, without its secret. */
  keys(options?: CallOptions): Promise<Key[]>
  /**
   * Revokes a key for good: every process of the API refuses it within a second.
   *
   * @throws ApiError `key_not_found`.
   */
  revokeKey(id: string, options?: CallOptions): Promise<void>
  /**
   * A link by which whoever has it reads this one job for 15 minutes, without its payload and result. It is void with the
   * key of this client.
   *
   * @throws ApiError `job_not_found`, and `not_found` where the API has no secret to sign links with.
   */
  linkTo(jobId: string, options?: CallOptions): Promise<JobLink>
  /** Who changed what, as far as the filter lets through, the latest first. */
  audit(filter?: AuditFilter, options?: CallOptions): AsyncIterable<AuditEntry>
  /** One page of it. It may be short, or empty, and have a `next_cursor` all the same. */
  auditPage(query?: AuditPageQuery, options?: CallOptions): Promise<AuditList>
}

export function accessCalls({ http, send }: Transport): Access {
  const auditPage: Access['auditPage'] = async (query = {}, { signal } = {}) => {
    const { data } = await send({
      request: 'GET /audit',
      repetition: 'freely',
      signal,
      fetch: (attempt) => http.GET('/audit', { params: { query }, signal: attempt }),
    })
    return data
  }

  return {
    auditPage,
    audit: (filter = {}, options) =>
      paginate((cursor) => auditPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    async me({ signal } = {}) {
      const { data } = await send({
        request: 'GET /me',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/me', { signal: attempt }),
      })
      return data
    },

    async keys({ signal } = {}) {
      const { data } = await send({
        request: 'GET /keys',
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.GET('/keys', { signal: attempt }),
      })
      return data.data
    },

    async linkTo(id, { signal } = {}) {
      const { data } = await send({
        request: `POST /jobs/${id}/links`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.POST('/jobs/{id}/links', { params: { path: { id } }, signal: attempt }),
      })
      return data
    },

    async revokeKey(id, { signal } = {}) {
      await send({
        request: `DELETE /keys/${id}`,
        repetition: 'freely',
        signal,
        fetch: (attempt) => http.DELETE('/keys/{id}', { params: { path: { id } }, signal: attempt }),
      })
    },
  }
}
