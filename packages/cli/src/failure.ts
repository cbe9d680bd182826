import { type ExitCode, exitCodes } from './exit-codes.ts'

/** One thing that is wrong with what was asked: an option, or a place in the payload. */
export interface Issue {
  /** `--created-after`, or `/payload/to`. */
  readonly path: string
  readonly message: string
}

export interface FailureOptions {
  /** The code that the API and the library give it, or one of ours. */
  readonly error: string
  readonly detail: string
  readonly exitCode?: ExitCode | undefined
  readonly issues?: readonly Issue[] | undefined
  /** What to do, in a sentence; by default what is known to help against `error`. */
  readonly advice?: string | undefined
}

/** What ends a command: why, in words for whoever typed it, what to do, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly error: string
  readonly exitCode: ExitCode
  readonly issues: readonly Issue[]
  readonly advice: string | undefined

  constructor({ error, detail, exitCode, issues = [], advice }: FailureOptions) {
    super(detail)
    this.error = error
    this.exitCode = exitCode ?? exitCodeOf(error)
    this.issues = issues
    this.advice = advice ?? adviceOf[error]
  }
}

/** The command line is wrong. */
export function usageFailure(detail: string, advice?: string): Failure {
  return new Failure({ error: 'usage', detail, advice })
}

const exitCodeByError: Readonly<Record<string, ExitCode>> = {
  usage: exitCodes.usage,
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
  overloaded: exitCodes.unavailable,
  queue_full: exitCodes.unavailable,
  database_unavailable: exitCodes.unavailable,
  not_ready: exitCodes.unavailable,
  timeout: exitCodes.unavailable,
  request_timeout: exitCodes.unavailable,
  unreachable: exitCodes.unavailable,
}

function exitCodeOf(error: string): ExitCode {
  return exitCodeByError[error] ?? (error.endsWith('_not_found') ? exitCodes.notFound : exitCodes.failed)
}

const adviceOf: Readonly<Record<string, string>> = {
  job_not_found: 'queue list shows the jobs that there are',
  dead_letter_not_found: 'queue dead-letters list shows those that there are',
  queue_not_found: 'queue queues list shows the queues that there are',
  limit_not_found: 'queue limits list shows the limits that there are',
  key_not_found: 'queue keys list shows the keys that there are',
  kind_not_found: 'queue kinds list shows the kinds that there are',
  kind_conflict: 'register the changed schema as the next version',
  schedule_not_found: 'queue schedules list shows the schedules that there are',
  schedule_exists: 'queue schedules update changes the one that is there',
  schedule_overlaps: 'wait for its last job, or cancel it',
  invalid_cursor: 'a cursor belongs to the list that gave it, and to its filters',
  invalid_transition: 'queue get ID shows the job as it is now',
  idempotency_mismatch: 'use one key for one piece of work',
  unique_conflict: 'the job that holds the key has not ended, or its window has not: queue list shows it',
  unique_key_locked: 'another transaction is writing a job with this key: try again',
  idempotency_key_locked: 'another transaction is writing this job: try again',
  schema_mismatch: 'run queue-migrate up, or use the release of queue that fits',
  unauthorized: 'put a valid API key into QUEUE_API_KEY, or into a file for --key-file',
  forbidden: 'use a key that has the permission; queue-migrate keys create makes one',
  database_unavailable: 'see that the database answers, then try again',
  overloaded: 'try again in a few seconds',
  queue_full: 'try again once some of its jobs have started; queue limits list shows the limit',
}
