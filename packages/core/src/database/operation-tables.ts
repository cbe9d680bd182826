// The table of operations, as `tables.ts` takes it.
import type { Table } from './tables.ts'

const transactionTime = { sql: 'now()' } as const
const both = ['api', 'worker'] as const

/** `running`: workers carry it out. `succeeded`: they have. `failed`: the database refused a change of its. `refused`: its asker may no longer do it. */
export const operationStates = ['running', 'succeeded', 'cancelled', 'refused', 'failed'] as const

export type OperationState = (typeof operationStates)[number]

/** What an operation does with each job that its filter finds. */
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
 * An act on many jobs, which workers carry out in batches. `api` asks for one and can end it: what it does, to which jobs and on
 * whose behalf, nobody can change afterwards.
 */
export const operations = {
  may: { api: [], worker: ['DELETE'] },
  columns: {
    /** Of the key that asked; empty: of none. */
    tenant_id: { type: 'text', default: '', insert: ['api'] },
    id: { type: 'uuid', insert: ['api'] },
    act: { type: 'text', oneOf: operationActs, insert: ['api'] },
    /** In the names of the wire. */
    filter: { type: 'jsonb', insert: ['api'] },
    /** The instant of a reschedule. */
    run_at: { type: 'timestamptz', nullable: true, insert: ['api'] },
    /** The bounds of whoever asked; null: none. */
    scope: { type: 'jsonb', nullable: true, insert: ['api'] },
    /** Null: a program, which has no audit log. */
    actor_type: { type: 'text', nullable: true, insert: ['api'] },
    actor: { type: 'text', nullable: true, insert: ['api'] },
    actor_name: { type: 'text', nullable: true, insert: ['api'] },
    address: { type: 'text', nullable: true, insert: ['api'] },
    request_id: { type: 'text', nullable: true, insert: ['api'] },
    /** When the credential that asked ends, where nothing else will say so; null: it is looked up, or has no end. */
    rights_end_at: { type: 'timestamptz', nullable: true, insert: ['api'] },
    /** Jobs a second, at most; null: as fast as it goes. */
    rate: { type: 'integer', nullable: true, insert: ['api'] },
    /** The newest job that it reaches. */
    up_to: { type: 'uuid', insert: ['api'] },
    /** How many jobs its filter found when it was made, as far as they were counted. */
    expected: { type: 'integer', insert: ['api'] },
    expected_is_least: { type: 'boolean', insert: ['api'] },
    state: { type: 'text', oneOf: operationStates, default: 'running', update: both },
    /** Jobs that it has changed. */
    changed: { type: 'bigint', default: 0, update: ['worker'] },
    /** Jobs that it found, and that were no longer such when it came to change them. */
    skipped: { type: 'bigint', default: 0, update: ['worker'] },
    /** The last job that it has come to. */
    reached: { type: 'uuid', nullable: true, update: ['worker'] },
    /** Why it ended otherwise than it should. */
    reason: { type: 'text', nullable: true, update: ['worker'] },
    next_batch_at: { type: 'timestamptz', default: transactionTime, update: ['worker'] },
    created_at: { type: 'timestamptz', default: transactionTime },
    finished_at: { type: 'timestamptz', nullable: true, update: both },
  },
} as const satisfies Table
