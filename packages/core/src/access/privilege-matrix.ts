import type { Access, PrivilegeMatrix } from '@queue/postgres'
import type { Column, Table, Writer } from '../database/table.ts'
import { enqueuedColumns, replacedColumns, tables } from '../database/tables.ts'
import { type Process, processes } from './process-roles.ts'

const read = { SELECT: 'all' } as const
const none = {} as const

/**
 * The privileges of the functions that workers call for operations: the operation's key without its digest, and the
 * audit entries of batches.
 */
const operationFunctionPrivileges = {
  operations: {
    SELECT: ['id', 'act', 'state', 'tenant_id', 'actor_type', 'actor', 'actor_name', 'address', 'request_id'],
    UPDATE: ['filter'],
  },
  api_keys: { SELECT: ['id', 'role', 'permissions', 'tenant_id', 'queues', 'kinds', 'expires_at'] },
  api_key_revocations: { SELECT: ['key_id'] },
  audit_log: {
    SELECT: ['act', 'target', 'filter', 'job_ids', 'tenant_id'],
    INSERT: [
      'tenant_id',
      'act',
      'actor_type',
      'actor',
      'actor_name',
      'database_role',
      'address',
      'request_id',
      'count',
      'target',
      'job_ids',
    ],
    UPDATE: ['filter', 'target', 'job_ids'],
  },
} as const

/**
 * The privileges of the functions that write a job, find the job of a key, change a waiting job, cancel a job, and
 * strip one.
 */
const functionPrivileges: Readonly<Record<string, PrivilegeMatrix<Process>[string][Process]>> = {
  jobs: {
    ...read,
    INSERT: [...enqueuedColumns, 'created_at', 'updated_at'],
    UPDATE: [
      ...replacedColumns,
      'run_at',
      'created_at',
      'status',
      'finished_at',
      'cancel_requested',
      'updated_at',
      'result',
      'progress',
      'progress_message',
      'last_error',
      'started_at',
      'worker_id',
      'stripped_at',
    ],
  },
  ended_jobs: read,
  job_metadata: { ...read, INSERT: Object.keys(tables.job_metadata.columns), DELETE: 'all' },
  job_unique_slots: { ...read, INSERT: 'all', UPDATE: 'all', DELETE: 'all' },
  ...operationFunctionPrivileges,
  lane_events: { INSERT: 'all' },
  job_kinds: read,
  limits: read,
  waiting_counts: read,
}

/**
 * The privileges of each process on each table: what its statements need, and no more. They follow from the
 * declarations of the tables, by column where that protects something.
 */
export const privilegeMatrix: PrivilegeMatrix<Process> = {
  ...Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name,
      {
        ...privilegesOn(table),
        enqueue: none,
        functions: functionPrivileges[name] ?? none,
        api_tenant: none,
      },
    ]),
  ),
  archived_jobs: {
    api: read,
    worker: read,
    readonly: read,
    enqueue: none,
    functions: none,
    api_tenant: none,
  },
  all_jobs: { api: read, worker: read, readonly: read, enqueue: none, functions: read, api_tenant: none },
  ...viewPrivileges(),
  migrations: { api: read, worker: read, readonly: read, enqueue: none, functions: none, api_tenant: none },
}

/** A tenant's requests have the same privileges on the views as the API has on the tables. */
function viewPrivileges(): PrivilegeMatrix<Process> {
  const { INSERT } = privilegesOf('api', tables.audit_log)
  const { INSERT: insertEvent = 'all' } = privilegesOf('api', tables.lane_events)
  const views = {
    tenant_jobs: privilegesOf('api', tables.jobs),
    tenant_all_jobs: read,
    tenant_job_list: read,
    tenant_job_executions: read,
    tenant_job_logs: read,
    tenant_job_errors: read,
    tenant_job_error_days: read,
    tenant_job_stats: read,
    tenant_dead_letter_jobs: privilegesOf('api', tables.dead_letter_jobs),
    tenant_dead_letter_list: read,
    tenant_requeued_jobs: privilegesOf('api', tables.requeued_jobs),
    tenant_job_metadata: privilegesOf('api', tables.job_metadata),
    tenant_job_unique_slots: privilegesOf('api', tables.job_unique_slots),
    tenant_queues: read,
    tenant_claim_facts: read,
    tenant_keyed_jobs: read,
    tenant_audit_log: INSERT === undefined ? none : { INSERT },
    tenant_operations: privilegesOf('api', tables.operations),
    tenant_lane_events: { INSERT: insertEvent },
  }
  const others = { api: none, worker: none, readonly: none, enqueue: none, functions: none }
  return Object.fromEntries(
    Object.entries(views).map(([name, granted]) => [name, { ...others, api_tenant: granted }]),
  )
}

function privilegesOn(table: Table): Pick<PrivilegeMatrix<Process>[string], 'api' | 'worker' | 'readonly'> {
  const { readBy = processes } = table
  const granted = { api: privilegesOf('api', table), worker: privilegesOf('worker', table), readonly: read }
  return {
    api: readBy.includes('api') ? granted.api : none,
    worker: readBy.includes('worker') ? granted.worker : none,
    readonly: readBy.includes('readonly') ? granted.readonly : none,
  }
}

function privilegesOf(writer: Writer, { columns, may }: Table): PrivilegeMatrix<Process>[string][Process] {
  const columnsFor = (action: 'insert' | 'update') =>
    Object.entries<Column>(columns).flatMap(([name, column]) =>
      column[action]?.includes(writer) ? [name] : [],
    )
  const insert = columnsFor('insert')
  const update = columnsFor('update')
  return {
    ...read,
    ...(insert.length > 0 && { INSERT: insert }),
    ...(update.length > 0 && { UPDATE: update }),
    ...Object.fromEntries(may[writer].map((action) => [action, 'all'])),
  }
}

const changeWaitingArguments =
  'job uuid, replaces boolean, start_at timestamp with time zone, start_max timestamp with time zone, queue text, ' +
  'kind_version smallint, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms integer, ' +
  'retry_policy jsonb, expires_at timestamp with time zone, trace_context text, key text, weight integer, sensitive text[], open_results boolean'

/** The functions of the schema, with their arguments as the catalogue spells them. */
const signatures = {
  enqueue:
    'enqueue(kind text, payload jsonb, queue text, priority integer, run_at timestamp with time zone, delay_ms bigint, ' +
    'max_attempts integer, timeout_ms integer, retry_policy jsonb, idempotency_key text, tenant_id text, trace_context text, ' +
    'on_mismatch text, metadata jsonb, expires_at timestamp with time zone, expires_in_ms bigint, ' +
    'unique_key text, unique_scope text, unique_window_ms bigint, unique_max_wait_ms bigint, on_conflict text, key text, ' +
    'weight integer)',
  change_waiting: `change_waiting(${changeWaitingArguments})`,
  tenant_change_waiting: `tenant_change_waiting(${changeWaitingArguments})`,
  enqueue_jobs: 'enqueue_jobs(requests jsonb, settings jsonb)',
  tenant_enqueue_jobs: 'tenant_enqueue_jobs(requests jsonb, settings jsonb)',
  strip_jobs: 'strip_jobs(ids uuid[])',
  cancel: 'cancel(id uuid)',
  edit_job: 'edit_job(id uuid, changes jsonb, unchanged_since timestamp with time zone)',
  edit_tenant_job: 'edit_tenant_job(id uuid, changes jsonb, unchanged_since timestamp with time zone)',
  operation_key: 'operation_key(operation uuid)',
  note_batch: 'note_batch(operation uuid, count integer, job_ids uuid[])',
  erase_from_audit: 'erase_from_audit(operation uuid, job_ids uuid[])',
  forget_jobs: 'forget_jobs()',
  claim_lanes:
    'claim_lanes(worker_name text, serving text[], slot_priorities smallint[], slot_queues text[], slot_shares integer[], ' +
    'runnable text[], wanted integer, only_steady boolean, ' +
    'sent_at_ms double precision, answer_within_ms double precision, marks jsonb)',
  canonical_number: 'canonical_number(value numeric)',
  canonical_json: 'canonical_json(document jsonb)',
  payload_fault: 'payload_fault(payload jsonb)',
  metadata_fault: 'metadata_fault(metadata jsonb)',
  complete_retry_policy: 'complete_retry_policy(policy jsonb)',
  payload_key: 'payload_key(pointer text, payload jsonb)',
} as const
/** A function that runs as the owner of the tables, because it makes and drops tables. */
const turnEndedDays = 'turn_ended_days()'
const routineNames = [...Object.keys(signatures), 'turn_ended_days']
const typeNames = [
  'job_status',
  'non_empty_text',
  'short_key',
  'count_integer',
  'count_smallint',
  'count_bigint',
  'positive_integer',
  'percentage',
  'job_priority',
  'later_kind_version',
  'greater_job_weight',
  'sensitive_parts',
  'only_true',
  'limit_scope',
  'attempt_outcome',
]
const calledByUsers = [signatures.enqueue, signatures.cancel]

/** The access of each process to the queue's schema. */
export const queueAccess: Access<Process> = {
  processes,
  seeSessions: ['api', 'readonly'],
  matrix: privilegeMatrix,
  others: { sequence: [], routine: routineNames, type: typeNames },
  routines: {
    owner: 'functions',
    signatures: Object.values(signatures),
    callers: {
      enqueue: calledByUsers,
      api: [signatures.enqueue_jobs, signatures.change_waiting, signatures.edit_job],
      worker: [
        signatures.enqueue_jobs,
        signatures.change_waiting,
        signatures.strip_jobs,
        signatures.operation_key,
        signatures.note_batch,
        signatures.erase_from_audit,
        signatures.claim_lanes,
        turnEndedDays,
      ],
      api_tenant: [
        signatures.tenant_enqueue_jobs,
        signatures.tenant_change_waiting,
        signatures.edit_tenant_job,
      ],
    },
  },
}
