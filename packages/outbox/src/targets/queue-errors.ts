import { type ErrorCode, QueueError } from '@queue/core'
import { sqlStateOf } from '@queue/postgres'
import { TargetUnavailable, Undeliverable } from '../domain/dispatch-errors.ts'

/**
 * What an error says of the message that was to be delivered. `refused`: no further attempt can help. `unavailable`:
 * the queue takes no jobs now, and the message is not to blame. `failed`: neither is known.
 */
type Verdict = 'refused' | 'unavailable' | 'failed'

const verdicts = {
  invalid_job: 'refused',
  invalid_options: 'refused',
  refused: 'refused',
  idempotency_mismatch: 'refused',
  unique_conflict: 'refused',
  // A queue that does not know the kind yet, as in a rolling upgrade.
  unknown_kind: 'unavailable',
  idempotency_key_locked: 'unavailable',
  unique_key_locked: 'unavailable',
  overloaded: 'unavailable',
  queue_full: 'unavailable',
  database_unavailable: 'unavailable',
  schema_mismatch: 'unavailable',
  migration_failed: 'unavailable',
  // No enqueue of a queue without bounds says these.
  invalid_cursor: 'failed',
  invalid_transition: 'failed',
  job_not_found: 'failed',
  dead_letter_not_found: 'failed',
  operation_not_found: 'failed',
  job_changed: 'failed',
  queue_not_found: 'failed',
  limit_not_found: 'failed',
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
} as const satisfies Record<ErrorCode, Verdict>

/** What an enqueue has thrown, as the relay is to take it. */
export function asDispatchError(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error)
  switch (verdictOf(error)) {
    case 'refused':
      return new Undeliverable(`the queue refuses the job: ${message}`, { cause: error })
    case 'unavailable':
      return new TargetUnavailable(`the queue cannot take jobs: ${message}`, { cause: error })
    case 'failed':
      return error
  }
}

function verdictOf(error: unknown): Verdict {
  if (error instanceof QueueError) return verdicts[error.code]
  // A row that PostgreSQL refuses is an `invalid_job`, so whatever else it says holds for every message: a privilege that
  // is missing, a function that is not there, a deadlock, a disk that cannot be read.
  if (sqlStateOf(error) !== undefined || isPoolEnded(error)) return 'unavailable'
  return 'failed'
}

/** The application has closed the queue under its relay. node-postgres says so by a plain error. */
function isPoolEnded(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Cannot use a pool after calling end')
}
