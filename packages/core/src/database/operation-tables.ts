// The table of operations, which is a part of `tables.ts`.
import type { Table } from './table.ts'

const transactionTime = { sql: 'now()' } as const
/** When the row is written: after every job that the operation has found. */
const clockTime = { sql: 'clock_timestamp()' } as const
const both = ['api', 'worker'] as const

/**
 * `running`: workers carry it out. `succeeded`: they are done. `failed`: the database refused one of its changes.
 * `refused`: the caller who started it no longer has the permission.
 */
export const operationStates = ['running', 'succeeded', 'cancelled', 'refused', 'failed'] as const

export type OperationState = (typeof operationStates)[number]

/** What an operation does with each job that its filter matches. */
export const operationActs = [
  'cancel',
  'requeue',
  'reschedule',
  'delete',
  'purge',
  'erase',
  'requeue_dead_letters',
] as const

export type OperationAct = (typeof operationActs)[number]

/**
 * A bulk action that workers carry out in batches. `api` starts it and can cancel it. Nobody can change afterwards what
 * it does, to which jobs, and on whose behalf.
 */
export const operations = {
  may: { api: [], worker: ['DELETE'] },
  columns: {
    /** The tenant of the key that started it; empty: the key had none. */
    tenant_id: { type: 'text', default: '', insert: ['api'] },
    id: { type: 'uuid', insert: ['api'] },
    act: { type: 'text', oneOf: operationActs, insert: ['api'] },
    /** In the names of the wire. */
    filter: { type: 'jsonb', insert: ['api'] },
    /** The new start of a reschedule. */
    run_at: { type: 'timestamptz', nullable: true, insert: ['api'] },
    /** The bounds of the caller who started it; null: none. */
    scope: { type: 'jsonb', nullable: true, insert: ['api'] },
    /** Null: a program without an audit log. */
    actor_type: { type: 'text', nullable: true, insert: ['api'] },
    actor: { type: 'text', nullable: true, insert: ['api'] },
    actor_name: { type: 'text', nullable: true, insert: ['api'] },
    address: { type: 'text', nullable: true, insert: ['api'] },
    request_id: { type: 'text', nullable: true, insert: ['api'] },
    /**
     * When the caller's credential ends, where nothing else tells that it has; null: the credential is looked up, or
     * never ends.
     */
    rights_end_at: { type: 'timestamptz', nullable: true, insert: ['api'] },
    /** The most jobs per second; null: no limit. */
    rate: { type: 'integer', nullable: true, insert: ['api'] },
    /** The newest job that the operation covers. */
    up_to: { type: 'uuid', insert: ['api'] },
    /** How many jobs the filter matched when the operation started, as far as they were counted. */
    expected: { type: 'integer', insert: ['api'] },
    expected_is_least: { type: 'boolean', insert: ['api'] },
    state: { type: 'text', oneOf: operationStates, default: 'running', update: both },
    /** Jobs that it has changed. */
    changed: { type: 'bigint', default: 0, update: ['worker'] },
    /** Jobs that its filter matched, but that no longer qualified when they were to be changed. */
    skipped: { type: 'bigint', default: 0, update: ['worker'] },
    /** The last job that it has processed. */
    reached: { type: 'uuid', nullable: true, update: ['worker'] },
    /** Why it ended without success. */
    reason: { type: 'text', nullable: true, update: ['worker'] },
    next_batch_at: { type: 'timestamptz', default: transactionTime, update: ['worker'] },
    /** When its last batch was carried out; null: none was. */
    last_batch_at: { type: 'timestamptz', nullable: true, update: ['worker'] },
    created_at: { type: 'timestamptz', default: clockTime },
    finished_at: { type: 'timestamptz', nullable: true, update: both },
  },
} as const satisfies Table
