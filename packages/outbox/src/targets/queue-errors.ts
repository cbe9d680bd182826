import { type ErrorCode, QueueError } from '@queue/core'
import { sqlStateOf } from '@queue/postgres'
import { TargetUnavailable, Undeliverable } from '../domain/dispatch-errors.ts'

/**
 * The class of an error of an enqueue. `refused`: no further attempt can deliver the message. `unavailable`: the queue accepts no
 * jobs now, and the message is not to blame. `failed`: neither is known.
 */
type ErrorClass = 'refused' | 'unavailable' | 'failed'

const errorClasses = {
  invalid_job: 'refused',
  invalid_options: 'refused',
  refused: 'refused',
  idempotency_mismatch: 'refused',
  unique_conflict: 'refused',
  // The queue may not know the kind yet, as in a rolling upgrade.
  unknown_kind: 'unavailable',
  idempotency_key_locked: 'unavailable',
  unique_key_locked: 'unavailable',
  enqueue_too_old: 'unavailable',
  overloaded: 'unavailable',
  queue_full: 'unavailable',
  database_unavailable: 'unavailable',
  schema_mismatch: 'unavailable',
  migration_failed: 'unavailable',
  // An enqueue without a scope never throws these.
  invalid_cursor: 'failed',
  invalid_transition: 'failed',
  job_not_found: 'failed',
  dead_letter_not_found: 'failed',
  operation_not_found: 'failed',
  selects_everything: 'failed',
  too_many_operations: 'failed',
  job_changed: 'failed',
  queue_not_found: 'failed',
  limit_not_found: 'failed',
  limit_changed: 'failed',
  invalid_limit: 'failed',
  key_not_found: 'failed',
  out_of_scope: 'failed',
  invalid_schedule: 'failed',
  schedule_not_found: 'failed',
  schedule_exists: 'failed',
  schedule_overlaps: 'failed',
  invalid_kind: 'failed',
  kind_conflict: 'failed',
  kind_not_found: 'failed',
} as const satisfies Record<ErrorCode, ErrorClass>

/** Converts an error of an enqueue into the error that tells the relay what to do. */
export function asDispatchError(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error)
  switch (classOf(error)) {
    case 'refused':
      return new Undeliverable(`the queue refuses the job: ${message}`, { cause: error })
    case 'unavailable':
      return new TargetUnavailable(`the queue cannot accept jobs: ${message}`, { cause: error })
    case 'failed':
      return error
  }
}

function classOf(error: unknown): ErrorClass {
  if (error instanceof QueueError) return errorClasses[error.code]
  // A row that PostgreSQL refuses is an `invalid_job`, so its other errors concern every message: a missing privilege, a missing
  // function, a deadlock, a disk that cannot be read.
  if (sqlStateOf(error) !== undefined || isPoolEnded(error)) return 'unavailable'
  return 'failed'
}

/** Whether the application has closed the queue that its relay uses. node-postgres reports that with a plain error. */
function isPoolEnded(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Cannot use a pool after calling end')
}
