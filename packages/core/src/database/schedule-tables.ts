// The tables of schedules, as `tables.ts` takes them.
import { missedPolicies, overlapPolicies } from '../domain/schedule-policies.ts'
import type { Table } from './tables.ts'

const transactionTime = { sql: 'now()' } as const

/**
 * A job that is enqueued again and again. Both processes write it: the API on behalf of a caller, a worker when it fires, and
 * when it brings the schedules of its code along.
 */
export const schedules = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    /** Empty: of no tenant. */
    tenant_id: { type: 'text', default: '' },
    name: { type: 'text' },
    /** Who keeps it in step by sync; empty: nobody does. */
    source: { type: 'text', default: '' },
    /** That of the sync that wrote it. */
    revision: { type: 'bigint', default: 0 },
    kind: { type: 'text' },
    payload: { type: 'jsonb' },
    /** Queue, priority and the like of its jobs, the defaults of the kind filled in. */
    options: { type: 'jsonb' },
    cron: { type: 'text', nullable: true },
    time_zone: { type: 'text', default: 'UTC' },
    every_ms: { type: 'bigint', nullable: true },
    starts_at: { type: 'timestamptz', nullable: true },
    ends_at: { type: 'timestamptz', nullable: true },
    jitter_ms: { type: 'integer', default: 0 },
    missed: { type: 'text', oneOf: missedPolicies, default: 'once' },
    missed_window_ms: { type: 'bigint', nullable: true },
    overlap: { type: 'text', oneOf: overlapPolicies, default: 'allow' },
    paused_at: { type: 'timestamptz', nullable: true },
    /** Why it has paused itself; null where somebody has paused it. */
    paused_reason: { type: 'text', nullable: true },
    /** The instant that fires next; null: there is none any more. */
    next_run_at: { type: 'timestamptz', nullable: true },
    /** When it fires: `next_run_at` and the jitter of that instant. */
    due_at: { type: 'timestamptz', nullable: true },
    /** The last instant that got a job. */
    last_run_at: { type: 'timestamptz', nullable: true },
    last_job_id: { type: 'uuid', nullable: true },
    fired_count: { type: 'bigint', default: 0 },
    missed_count: { type: 'bigint', default: 0 },
    skipped_count: { type: 'bigint', default: 0 },
    created_at: { type: 'timestamptz', default: transactionTime },
    updated_at: { type: 'timestamptz', default: transactionTime },
  },
} as const satisfies Table

/** The revision that each source has synced last, also when that left it no schedule. */
export const scheduleSources = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE'] },
  columns: {
    tenant_id: { type: 'text', default: '' },
    source: { type: 'text' },
    revision: { type: 'bigint' },
    synced_at: { type: 'timestamptz', default: transactionTime },
  },
} as const satisfies Table
