// The tables of statistics, which are a part of `tables.ts`.
import type { Table } from './table.ts'

/** The span of time that one row of counts covers. */
const statsPeriods = ['minute', 'hour'] as const

/**
 * What happened in a minute or an hour to the jobs of one queue and kind, of one queue, and of all queues. Processes
 * add their counts: workers those of the jobs they run, the API those of the jobs it cancels.
 */
export const jobStats = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    period: { type: 'text', oneOf: statsPeriods },
    /** When the minute or the hour began. */
    at: { type: 'timestamptz' },
    /**
     * Empty queue and kind: all series beyond the `statsSeriesMax` that are counted separately. A `*` as the kind: all
     * separate kinds of the queue. A `*` as both: everything.
     */
    queue: { type: 'text' },
    kind: { type: 'text' },
    /** Empty: all tenants, and jobs of none. A tenant's jobs are counted here and in the tenant's own row. */
    tenant_id: { type: 'text', default: '' },
    enqueued: { type: 'bigint', default: 0 },
    started: { type: 'bigint', default: 0 },
    succeeded: { type: 'bigint', default: 0 },
    failed: { type: 'bigint', default: 0 },
    retried: { type: 'bigint', default: 0 },
    cancelled: { type: 'bigint', default: 0 },
    /** Number of jobs by their wait, by the number of its bucket. */
    wait_buckets: { type: 'jsonb', default: '{}' },
    /** Number of jobs by their run time, by the number of its bucket. */
    run_buckets: { type: 'jsonb', default: '{}' },
  },
} as const satisfies Table

/** The pairs of queue and kind that are counted separately: one row. */
export const jobStatsSeries = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE'] },
  columns: {
    id: { type: 'smallint', default: 1 },
    /** By `queue/kind`: the last day, since 1970, on which a process asked for it. */
    last_used: { type: 'jsonb' },
  },
} as const satisfies Table
