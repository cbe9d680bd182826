// The tables of API keys, sessions and the audit log, which are a part of `tables.ts`.
import { actorTypes } from '../domain/actor.ts'
import type { Table } from './table.ts'

const transactionTime = { sql: 'now()' } as const
/** After the change that the entry is about, whose instants are read after its waits. */
const clockTime = { sql: 'clock_timestamp()' } as const

/**
 * The keys of the API. `api` can revoke a key and record its use. It can neither create one, nor change its
 * permissions, nor undo a revocation: an intruder in the API gets no key that outlives the intrusion.
 */
export const apiKeys = {
  may: { api: [], worker: [] },
  readBy: ['api'],
  columns: {
    id: { type: 'text' },
    created_at: { type: 'timestamptz', default: transactionTime },
    expires_at: { type: 'timestamptz', nullable: true },
    last_used_at: { type: 'timestamptz', nullable: true, update: ['api'] },
    digest: { type: 'bytea' },
    name: { type: 'text' },
    role: { type: 'text', oneOf: ['enqueue', 'read', 'operate', 'admin'] },
    permissions: { type: 'text[]', default: '{}' },
    tenant_id: { type: 'text', nullable: true },
    queues: { type: 'text[]', nullable: true },
    kinds: { type: 'text[]', nullable: true },
    rate: { type: 'jsonb', nullable: true },
    replaces: { type: 'text', nullable: true },
  },
} as const satisfies Table

/** Keys that were revoked. */
export const apiKeyRevocations = {
  may: { api: [], worker: [] },
  readBy: ['api'],
  columns: {
    key_id: { type: 'text', insert: ['api'] },
    revoked_at: { type: 'timestamptz', default: transactionTime },
  },
} as const satisfies Table

/** The tokens left in the rate limit of each key. `api` takes tokens for its requests. */
export const apiKeyBuckets = {
  may: { api: [], worker: [] },
  readBy: ['api'],
  columns: {
    key_id: { type: 'text', insert: ['api'] },
    filled_at: { type: 'timestamptz', default: transactionTime, update: ['api'] },
    tokens: { type: 'double precision', insert: ['api'], update: ['api'] },
    granted: { type: 'integer', insert: ['api'], update: ['api'] },
  },
} as const satisfies Table

/** The sessions of the dashboard. `api` writes, reads and ends them. */
export const apiSessions = {
  may: { api: ['DELETE'], worker: [] },
  readBy: ['api'],
  columns: {
    id: { type: 'bytea', insert: ['api'] },
    key_id: { type: 'text', nullable: true, insert: ['api'] },
    token_proof: { type: 'bytea', nullable: true, insert: ['api'] },
    claims: { type: 'jsonb', nullable: true, insert: ['api'] },
    created_at: { type: 'timestamptz', default: transactionTime },
    expires_at: { type: 'timestamptz', insert: ['api'] },
  },
} as const satisfies Table

/**
 * Who changed what. `api` can add entries and can neither change nor remove one. The database itself sets the instant
 * and the database role of an entry. `worker` removes entries past their retention. Functions add the entries of
 * operations, and remove erased jobs from entries.
 */
export const auditLog = {
  may: { api: [], worker: ['DELETE'] },
  readBy: ['api', 'worker'],
  columns: {
    tenant_id: { type: 'text', default: '', insert: ['api'] },
    at: { type: 'timestamptz', default: clockTime },
    id: { type: 'uuid', default: { sql: 'gen_random_uuid()' } },
    act: { type: 'text', insert: ['api'] },
    actor_type: { type: 'text', oneOf: actorTypes, insert: ['api'] },
    actor: { type: 'text', insert: ['api'] },
    actor_name: { type: 'text', nullable: true, insert: ['api'] },
    database_role: { type: 'text', default: { sql: 'CURRENT_USER' } },
    address: { type: 'text', nullable: true, insert: ['api'] },
    request_id: { type: 'text', nullable: true, insert: ['api'] },
    count: { type: 'integer', insert: ['api'] },
    target: { type: 'text', nullable: true, insert: ['api'] },
    filter: { type: 'jsonb', nullable: true, insert: ['api'] },
    job_ids: { type: 'uuid[]', default: '{}', insert: ['api'] },
  },
} as const satisfies Table
