// The tables of numbers over time, as `tables.ts` takes them.
import type { Table } from './tables.ts'

/** How long the span of one row of counts is. */
const statsPeriods = ['minute', 'hour'] as const

/**
 * What has happened within a minute, or an hour, to the jobs of one queue and kind, of one queue, and of all. Processes add what they have counted:
 * workers what they run, the API what it cancels.
 */
export const jobStats = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    period: { type: 'text', oneOf: statsPeriods },
    /** When the minute or the hour began. */
    at: { type: 'timestamptz' },
    /**
     * Empty, with an empty kind: one of those beyond the `statsSeriesMax` that are kept apart. A `*` as the kind: all of the queue
     * that are kept apart; as both: everything.
     */
    queue: { type: 'text' },
    kind: { type: 'text' },
    /** Empty: of all tenants and of none. A tenant's jobs are counted twice, there and here. */
    tenant_id: { type: 'text', default: '' },
    enqueued: { type: 'bigint', default: 0 },
    started: { type: 'bigint', default: 0 },
    succeeded: { type: 'bigint', default: 0 },
    failed: { type: 'bigint', default: 0 },
    retried: { type: 'bigint', default: 0 },
    cancelled: { type: 'bigint', default: 0 },
    /** How many waited how long, by the number of the bucket. */
    wait_buckets: { type: 'jsonb', default: '{}' },
    /** How many ran how long. */
    run_buckets: { type: 'jsonb', default: '{}' },
  },
} as const satisfies Table

/** The queues and kinds that are kept apart: one row. */
export const jobStatsSeries = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE'] },
  columns: {
    id: { type: 'smallint', default: 1 },
    /** By `queue/kind`: the day since 1970 on which a process last asked for it. */
    last_used: { type: 'jsonb' },
  },
} as const satisfies Table
