import type { Table } from './tables.ts'

const now = { sql: 'now()' } as const

/** What a limit is about. `each_key`: each key of the queue that has no limit of its own. */
export const limitScopes = ['queue', 'kind', 'key', 'each_key', 'tenant'] as const

/** Whether a job that is retried holds up those behind it in the order of its key. */
export const retryOrders = ['block', 'continue'] as const

/** Whose jobs have their turns. */
export const shareOwners = ['tenant', 'key'] as const

/** What an operator has said of a queue, a kind in it or its keys. */
export const limitRules = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: [] },
  columns: {
    queue: { type: 'text' },
    scope: { type: 'text', oneOf: limitScopes },
    /** Of the kind or the key; empty for the others. */
    name: { type: 'text', default: '' },
    max_running: { type: 'integer', nullable: true },
    max_waiting: { type: 'integer', nullable: true },
    rate_count: { type: 'integer', nullable: true },
    rate_per_ms: { type: 'integer', nullable: true },
    rate_burst: { type: 'integer', nullable: true },
    paused_at: { type: 'timestamptz', nullable: true },
    /** Present where the jobs of each key start one after the other: what those behind one that is retried do meanwhile. */
    on_retry: { type: 'text', nullable: true, oneOf: retryOrders },
    fair_by: { type: 'text', nullable: true, oneOf: shareOwners },
    weight: { type: 'smallint', nullable: true },
    created_at: { type: 'timestamptz', default: now },
    updated_at: { type: 'timestamptz', default: now },
  },
} as const satisfies Table

/** How many jobs of a queue, or of a tenant in it, waited when they were last counted, up to the limit that bounds that. */
export const waitingCounts = {
  may: { api: ['INSERT', 'UPDATE', 'DELETE'], worker: ['UPDATE'] },
  columns: {
    queue: { type: 'text' },
    /** Empty: the jobs of all tenants, and of none. */
    tenant_id: { type: 'text', default: '' },
    waiting: { type: 'integer' },
    counted_at: { type: 'timestamptz' },
  },
} as const satisfies Table

/** How many jobs run under a limit, and until when its rate is spent. */
export const limitCounters = {
  may: { api: ['INSERT', 'UPDATE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    queue: { type: 'text' },
    scope: { type: 'text', oneOf: ['queue', 'kind', 'key'] },
    name: { type: 'text', default: '' },
    tenant_id: { type: 'text', default: '' },
    running: { type: 'integer', default: 0 },
    spent_until: { type: 'timestamptz', default: { sql: `'-infinity'::timestamp with time zone` } },
    /** The tokens that its rate saves up before it lets another start: as many as the next job costs. */
    awaited: { type: 'integer', default: 1 },
    /** The job that was last started in the order of a key: until it has ended, it may hold the others. */
    held_by: { type: 'uuid', nullable: true },
  },
} as const satisfies Table

/** The jobs of one tenant, queue, kind, key and priority that wait. There is one only while some are due. */
export const lanes = {
  may: { api: [], worker: ['INSERT', 'DELETE', 'UPDATE'] },
  columns: {
    queue: { type: 'text' },
    kind: { type: 'text' },
    key: { type: 'text' },
    tenant_id: { type: 'text', default: '' },
    priority: { type: 'smallint' },
    /** Whether a limit of its key lets none start. */
    is_full: { type: 'boolean', default: false, update: ['api'] },
    /** When it last had its turn. */
    turn_at: { type: 'timestamptz', update: ['api'] },
    /** No job of it that waits is due before. */
    head_at: { type: 'timestamptz' },
    /** The tenant or the key whose turns it has, where its queue is fair. */
    share: { type: 'text', nullable: true, update: ['api'] },
  },
} as const satisfies Table

/** The order in which those of a fair queue that have lanes come to their turns, the lowest first. */
export const laneTurns = {
  may: { api: ['INSERT', 'DELETE'], worker: ['INSERT', 'UPDATE', 'DELETE'] },
  columns: {
    queue: { type: 'text' },
    priority: { type: 'smallint' },
    share: { type: 'text' },
    turn: { type: 'double precision' },
    /** The tenant whose jobs without a key were the last to be claimed: in the row that stands for all of these. */
    reached: { type: 'text', nullable: true },
  },
} as const satisfies Table

/**
 * What has happened to jobs with a key, and to jobs that a limit counts, since a claim last looked. With a `priority`: a job
 * waits, due then. With `counted`: so many jobs that were counted no longer run.
 */
export const laneEvents = {
  // Whoever locks a row has to be allowed to update it.
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
