// The tables of schedules, which are a part of `tables.ts`.
import { missedPolicies, overlapPolicies } from '../domain/schedule-policies.ts'
import type { Table } from './table.ts'

const transactionTime = { sql: 'now()' } as const

/**
 * A schedule, which enqueues a job again and again. Both processes write it: the API for a caller, and a worker when it
 * fires the schedule or syncs those of its code.
 */
export const schedules = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    /** Empty: no tenant. */
    tenant_id: { type: 'text', default: '' },
    name: { type: 'text' },
    /** The name under which syncs manage this schedule; empty: none does. */
    source: { type: 'text', default: '' },
    /** The revision of the sync that wrote it. */
    revision: { type: 'bigint', default: 0 },
    kind: { type: 'text' },
    payload: { type: 'jsonb' },
    /** Queue, priority and other options of its jobs, with the defaults of the kind filled in. */
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
    /** Why the schedule paused itself; null where a caller paused it. */
    paused_reason: { type: 'text', nullable: true },
    /** The next instant that fires; null: there is none. */
    next_run_at: { type: 'timestamptz', nullable: true },
    /** When it fires: `next_run_at` plus the jitter of that instant. */
    due_at: { type: 'timestamptz', nullable: true },
    /** The last instant for which a job was enqueued. */
    last_run_at: { type: 'timestamptz', nullable: true },
    last_job_id: { type: 'uuid', nullable: true },
    fired_count: { type: 'bigint', default: 0 },
    missed_count: { type: 'bigint', default: 0 },
    skipped_count: { type: 'bigint', default: 0 },
    created_at: { type: 'timestamptz', default: transactionTime },
    updated_at: { type: 'timestamptz', default: transactionTime },
  },
} as const satisfies Table

/** The last revision that each source has synced, also when that left it no schedule. */
export const scheduleSources = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE'] },
  columns: {
    tenant_id: { type: 'text', default: '' },
    source: { type: 'text' },
    revision: { type: 'bigint' },
    synced_at: { type: 'timestamptz', default: transactionTime },
  },
} as const satisfies Table
