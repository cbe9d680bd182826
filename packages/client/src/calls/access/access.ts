import { callOptions, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type { AuditEntry, AuditFilter, AuditList, AuditPageQuery, JobLink, Key, Me } from '../../wire.ts'
import { paginate } from '../paginate.ts'

export interface AccessCalls {
  /** Whose credential this client uses, and its permissions. */
  me(options?: CallOptions): Promise<Me>
  /** All API keys, revoked ones included, the newest first. Secrets are not included. */
  keys(options?: CallOptions): Promise<Key[]>
  /**
   * Revokes an API key for good. Every process of the API refuses it within a second.
   *
   * @throws ApiError `key_not_found`.
   */
  revokeKey(id: string, options?: CallOptions): Promise<void>
  /**
   * Makes a link to one job. Anyone with the link can read the job for 15 minutes, without its payload and result. The
   * link stops working when the key of this client does.
   *
   * @throws ApiError `job_not_found`, or `not_found` if the API has no secret to sign links with.
   */
  linkTo(jobId: string, options?: CallOptions): Promise<JobLink>
  /** All entries of the audit log that match the filter, the latest first. */
  audit(filter?: AuditFilter, options?: CallOptions): AsyncIterable<AuditEntry>
  /** One page of the audit log. A page that is short or empty may still have a `next_cursor`. */
  auditPage(query?: AuditPageQuery, options?: CallOptions): Promise<AuditList>
}

/** The options of these calls. */
export const accessOptions: RulesOfCalls<AccessCalls> = {
  me: { at: 0, options: callOptions },
  keys: { at: 0, options: callOptions },
  revokeKey: { at: 1, options: callOptions },
  linkTo: { at: 1, options: callOptions },
  audit: { at: 1, options: callOptions, iterates: true },
  auditPage: { at: 1, options: callOptions },
}

export function accessCalls({ http, fetchData }: Transport): AccessCalls {
  const auditPage: AccessCalls['auditPage'] = (query = {}, { signal } = {}) =>
    fetchData({
      request: 'GET /audit',
      idempotent: true,
      answer: ['data'],
      signal,
      fetch: (attemptSignal) => http.GET('/audit', { params: { query }, signal: attemptSignal }),
    })

  return {
    auditPage,
    audit: (filter = {}, options) =>
      paginate((cursor) => auditPage(cursor === undefined ? filter : { ...filter, cursor }, options)),

    me: ({ signal } = {}) =>
      fetchData({
        request: 'GET /me',
        idempotent: true,
        answer: ['permissions'],
        signal,
        fetch: (attemptSignal) => http.GET('/me', { signal: attemptSignal }),
      }),

    async keys({ signal } = {}) {
      const { data: keys } = await fetchData({
        request: 'GET /keys',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.GET('/keys', { signal: attemptSignal }),
      })
      return keys
    },

    linkTo: (id, { signal } = {}) =>
      fetchData({
        request: `POST /jobs/${id}/links`,
        idempotent: true,
        answer: ['path'],
        signal,
        fetch: (attemptSignal) =>
          http.POST('/jobs/{id}/links', { params: { path: { id } }, signal: attemptSignal }),
      }),

    async revokeKey(id, { signal } = {}) {
      await fetchData({
        request: `DELETE /keys/${id}`,
        idempotent: true,
        answer: 'nothing',
        signal,
        fetch: (attemptSignal) =>
          http.DELETE('/keys/{id}', { params: { path: { id } }, signal: attemptSignal }),
      })
    },
  }
}
