import { callOptions, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import type { Transport } from '../../transport.ts'
import type {
  Attention,
  Diagnosis,
  ErrorList,
  ErrorPageQuery,
  Stats,
  StatsQuery,
  Worker,
} from '../../wire.ts'

export interface MonitoringCalls {
  /** How many jobs were enqueued, started and ended, and how long they took, by minute, hour or day. */
  stats(query?: StatsQuery, options?: CallOptions): Promise<Stats>
  /** One page of error groups: failed attempts, grouped by cause. The group that occurred last comes first. */
  errorsPage(query?: ErrorPageQuery, options?: CallOptions): Promise<ErrorList>
  /** The conditions that need attention now, the most severe first. */
  attention(options?: CallOptions): Promise<Attention[]>
  /** The findings of `doctor` about the schema, the server and the queue, failures first. They may be 10 s old. */
  diagnosis(options?: CallOptions): Promise<Diagnosis>
  /** All registered workers. */
  workers(options?: CallOptions): Promise<Worker[]>
}

/** The options of these calls. */
export const monitoringOptions: RulesOfCalls<MonitoringCalls> = {
  stats: { at: 1, options: callOptions },
  errorsPage: { at: 1, options: callOptions },
  attention: { at: 0, options: callOptions },
  diagnosis: { at: 0, options: callOptions },
  workers: { at: 0, options: callOptions },
}

export function monitoringCalls({ http, fetchData }: Transport): MonitoringCalls {
  return {
    stats: (query = {}, { signal } = {}) =>
      fetchData({
        request: 'GET /stats',
        idempotent: true,
        answer: ['points', 'total'],
        signal,
        fetch: (attemptSignal) => http.GET('/stats', { params: { query }, signal: attemptSignal }),
      }),

    errorsPage: (query = {}, { signal } = {}) =>
      fetchData({
        request: 'GET /errors',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.GET('/errors', { params: { query }, signal: attemptSignal }),
      }),

    async attention({ signal } = {}) {
      const { data: conditions } = await fetchData({
        request: 'GET /attention',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.GET('/attention', { signal: attemptSignal }),
      })
      return conditions
    },

    diagnosis: ({ signal } = {}) =>
      fetchData({
        request: 'GET /diagnosis',
        idempotent: true,
        answer: ['status', 'findings'],
        signal,
        fetch: (attemptSignal) => http.GET('/diagnosis', { signal: attemptSignal }),
      }),

    async workers({ signal } = {}) {
      const { data: workers } = await fetchData({
        request: 'GET /workers',
        idempotent: true,
        answer: ['data'],
        signal,
        fetch: (attemptSignal) => http.GET('/workers', { signal: attemptSignal }),
      })
      return workers
    },
  }
}
