import { type ExitCode, exitCodes, Failure, type FailureOptions } from '@queue/commands'

/** A failure with the exit code and the advice of its error, unless it has others. */
export function failureOf({ error, exitCode, advice, ...options }: FailureOptions): Failure {
  return new Failure({
    ...options,
    error,
    exitCode: exitCode ?? exitCodeOf(error),
    advice: advice ?? adviceByError[error],
  })
}

const exitCodeByError: Readonly<Record<string, ExitCode>> = {
  invalid_job: exitCodes.usage,
  invalid_limit: exitCodes.usage,
  invalid_options: exitCodes.usage,
  invalid_kind: exitCodes.usage,
  invalid_schedule: exitCodes.usage,
  invalid_cursor: exitCodes.usage,
  unknown_kind: exitCodes.usage,
  schema_mismatch: exitCodes.schema,
  invalid_transition: exitCodes.refused,
  kind_conflict: exitCodes.refused,
  schedule_exists: exitCodes.refused,
  schedule_overlaps: exitCodes.refused,
  refused: exitCodes.refused,
  idempotency_mismatch: exitCodes.refused,
  unauthorized: exitCodes.notPermitted,
  forbidden: exitCodes.notPermitted,
  unique_conflict: exitCodes.refused,
  idempotency_key_locked: exitCodes.unavailable,
  unique_key_locked: exitCodes.unavailable,
  enqueue_too_old: exitCodes.unavailable,
  overloaded: exitCodes.unavailable,
  queue_full: exitCodes.unavailable,
  selects_everything: exitCodes.usage,
  too_many_operations: exitCodes.unavailable,
  database_unavailable: exitCodes.unavailable,
  not_ready: exitCodes.unavailable,
  timeout: exitCodes.unavailable,
  request_timeout: exitCodes.unavailable,
  unreachable: exitCodes.unavailable,
}

function exitCodeOf(error: string): ExitCode {
  return exitCodeByError[error] ?? (error.endsWith('_not_found') ? exitCodes.notFound : exitCodes.failed)
}

const adviceByError: Readonly<Record<string, string>> = {
  job_not_found: 'queue list shows the jobs',
  dead_letter_not_found: 'queue dead-letters list shows the dead letters',
  queue_not_found: 'queue queues list shows the queues',
  limit_not_found: 'queue limits list shows the limits',
  key_not_found: 'queue keys list shows the API keys',
  kind_not_found: 'queue kinds list shows the kinds',
  kind_conflict: 'register the changed schema as the next version',
  schedule_not_found: 'queue schedules list shows the schedules',
  schedule_exists: 'queue schedules update changes the existing schedule',
  schedule_overlaps: 'wait for its last job, or cancel it',
  invalid_cursor: 'use a cursor only with the list and the filters that it comes from',
  invalid_transition: 'queue get ID shows the current status of the job',
  idempotency_mismatch: 'use one key for one piece of work',
  unique_conflict: 'wait for the job that holds the key, or cancel it: queue list shows it',
  unique_key_locked: 'another transaction is writing a job with this key: try again',
  idempotency_key_locked: 'another transaction is writing this job: try again',
  schema_mismatch: 'run queue-migrate up, or use the matching release of queue',
  unauthorized: 'put a valid API key into QUEUE_API_KEY, or into a file for --key-file',
  forbidden: 'use an API key that has the permission; queue keys create makes one',
  database_unavailable: 'check that the database is running, then try again',
  enqueue_too_old: 'another transaction has blocked the table for an hour: find it, then try again',
  overloaded: 'try again in a few seconds',
  selects_everything: 'give a filter, or --all',
  too_many_operations: 'wait for one to end, or cancel one; queue operations list --state running shows them',
  queue_full: 'try again once some of its jobs have started; queue limits list shows the limit',
}
