import type { Table } from './table.ts'

const now = { sql: 'now()' } as const

/** What a limit applies to. `each_key`: each key of the queue that has no limit of its own. */
export const limitScopes = ['queue', 'kind', 'key', 'each_key', 'tenant'] as const

/** Whether a job that waits for a retry holds back the later jobs of its key. */
export const retryOrders = ['block', 'continue'] as const

/** Who takes turns in a fair queue. */
export const shareOwners = ['tenant', 'key'] as const

/** The limits that operators set for a queue, a kind in it, its keys or a tenant. */
export const limitRules = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: [] },
  columns: {
    queue: { type: 'text' },
    scope: { type: 'text', oneOf: limitScopes },
    /** The name of the kind or the key; empty for the other scopes. */
    name: { type: 'text', default: '' },
    max_running: { type: 'integer', nullable: true },
    max_waiting: { type: 'integer', nullable: true },
    rate_count: { type: 'integer', nullable: true },
    rate_per_ms: { type: 'integer', nullable: true },
    rate_burst: { type: 'integer', nullable: true },
    paused_at: { type: 'timestamptz', nullable: true },
    /** Set where the jobs of each key start in order: what later jobs do while an earlier one waits for a retry. */
    on_retry: { type: 'text', nullable: true, oneOf: retryOrders },
    fair_by: { type: 'text', nullable: true, oneOf: shareOwners },
    weight: { type: 'smallint', nullable: true },
    created_at: { type: 'timestamptz', default: now },
    updated_at: { type: 'timestamptz', default: now },
  },
} as const satisfies Table

/** How many jobs of a queue, or of one tenant in it, waited at the last count. The count stops at the limit that bounds it. */
export const waitingCounts = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['UPDATE'] },
  columns: {
    queue: { type: 'text' },
    /** Empty: the jobs of all tenants and of no tenant. */
    tenant_id: { type: 'text', default: '' },
    waiting: { type: 'integer' },
    counted_at: { type: 'timestamptz' },
  },
} as const satisfies Table

/** How many jobs run under a limit, and until when the tokens of its rate are used up. */
export const limitCounters = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    queue: { type: 'text' },
    scope: { type: 'text', oneOf: ['queue', 'kind', 'key'] },
    name: { type: 'text', default: '' },
    tenant_id: { type: 'text', default: '' },
    running: { type: 'integer', default: 0 },
    spent_until: { type: 'timestamptz', default: { sql: `'-infinity'::timestamp with time zone` } },
    /** The tokens that the rate must save up before the next start: the weight of the next job. */
    awaited: { type: 'integer', default: 1 },
    /** The job of a key that was started last, where starts are in order. It may hold back the others until it has ended. */
    held_by: { type: 'uuid', nullable: true },
  },
} as const satisfies Table

/** The waiting jobs of one tenant, queue, kind, key and priority. The row exists only while some of them are due. */
export const lanes = {
  may: { api: [], worker: ['INSERT', 'DELETE', 'UPDATE'] },
  columns: {
    queue: { type: 'text' },
    kind: { type: 'text' },
    key: { type: 'text' },
    tenant_id: { type: 'text', default: '' },
    priority: { type: 'smallint' },
    /** Whether a limit of its key allows no further start. */
    is_full: { type: 'boolean', default: false, update: ['api'] },
    /** When the lane last had its turn. */
    turn_at: { type: 'timestamptz', update: ['api'] },
    /** No waiting job of the lane is due before this instant. */
    head_at: { type: 'timestamptz' },
    /** The tenant or the key whose turns the lane uses, where its queue is fair. */
    share: { type: 'text', nullable: true, update: ['api'] },
  },
} as const satisfies Table

/** The order in which the tenants or keys of a fair queue take turns, the lowest first. */
export const laneTurns = {
  may: { api: ['INSERT', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    queue: { type: 'text' },
    priority: { type: 'smallint' },
    share: { type: 'text' },
    turn: { type: 'double precision' },
    /** In the row for all jobs without a key: the tenant whose job was claimed last. */
    reached: { type: 'text', nullable: true },
  },
} as const satisfies Table

/**
 * Events of jobs with a key, and of jobs that a limit counts, since the last claim read them. With a `priority`: a job
 * waits in the lane, and is due at `due_at`. With `counted`: this many counted jobs have stopped running.
 */
export const laneEvents = {
  // PostgreSQL requires UPDATE for locking a row.
  may: { api: ['INSERT'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    due_at: { type: 'timestamptz' },
    queue: { type: 'text' },
    kind: { type: 'text' },
    key: { type: 'text', nullable: true },
    tenant_id: { type: 'text', default: '' },
    priority: { type: 'smallint', nullable: true },
    counted: { type: 'smallint', nullable: true },
    jobs: { type: 'integer', default: 0 },
  },
} as const satisfies Table
