import type { Access, PrivilegeMatrix } from '@queue/postgres'
import { type Process, processes } from './process-roles.ts'

const read = { SELECT: 'all' } as const

/** What an enqueue writes. The state, the attempts and the locks of a new job are the table's defaults. */
const enqueued = [
  'id',
  'queue',
  'kind',
  'tenant_id',
  'payload',
  'priority',
  'max_attempts',
  'timeout_ms',
  'retry_policy',
  'run_at',
  'idempotency_key',
  'idempotency_fingerprint',
  'trace_context',
] as const

/**
 * What each process may do with each table: what its statements need, and no more.
 *
 * Columns are named where that holds something up. Without UPDATE of `locked_by` and `lease_token`, `api` cannot take
 * a running job out of its worker's hands, whatever it sends: `jobs_running_check` ties the state to the lock, and
 * the fence of every write is the token. Without UPDATE of what a job is (kind, payload, tenant, key), neither
 * process can change the work that was asked for. `worker` may update one column of `queues` that decides nothing,
 * because the share lock by which a claim meets a pause demands UPDATE of some column.
 */
export const privilegeMatrix: PrivilegeMatrix<Process> = {
  jobs: {
    api: {
      SELECT: 'all',
      // The second line: a job that was pruned comes back from its dead letter with what it had.
      INSERT: [...enqueued, 'lease_token', 'crashes', 'last_error', 'created_at'],
      UPDATE: [
        'status',
        'cancel_requested',
        'attempts',
        'run_at',
        'result',
        'progress',
        'progress_message',
        'finished_at',
        'updated_at',
      ],
    },
    worker: {
      SELECT: 'all',
      INSERT: enqueued,
      UPDATE: [
        'status',
        'attempts',
        'crashes',
        'lease_token',
        'locked_at',
        'locked_by',
        'run_at',
        'result',
        'last_error',
        'progress',
        'progress_message',
        'finished_at',
        'updated_at',
      ],
      DELETE: 'all',
    },
    readonly: read,
  },
  job_executions: {
    api: read,
    worker: { SELECT: 'all', INSERT: 'all', DELETE: 'all' },
    readonly: read,
  },
  dead_letter_jobs: {
    api: { SELECT: 'all', DELETE: 'all' },
    worker: { SELECT: 'all', INSERT: 'all', UPDATE: 'all', DELETE: 'all' },
    readonly: read,
  },
  workers: {
    api: read,
    worker: {
      SELECT: 'all',
      INSERT: 'all',
      UPDATE: ['state', 'heartbeat_at', 'lease_expires_at'],
      DELETE: 'all',
    },
    readonly: read,
  },
  queues: {
    api: { SELECT: 'all', UPDATE: ['paused_at'] },
    worker: { SELECT: 'all', INSERT: ['name'], UPDATE: ['created_at'] },
    readonly: read,
  },
  migrations: { api: read, worker: read, readonly: read },
}

/** Who may do what with the queue. */
export const queueAccess: Access<Process> = {
  processes,
  seeSessions: ['api', 'readonly'],
  matrix: privilegeMatrix,
  others: { sequence: [], routine: [], type: ['job_status'] },
}
