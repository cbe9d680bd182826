import { postgresErrorCodes, QueueError as CodedError } from '@queue/postgres/errors'
import type { JobStatus } from './job.ts'

/** The code of every error that an operation of the queue can throw. The API maps each code to one HTTP status. */
export const errorCodes = [
  'invalid_job',
  'invalid_cursor',
  'unknown_kind',
  'invalid_kind',
  'kind_conflict',
  'kind_not_found',
  'invalid_transition',
  'job_not_found',
  'dead_letter_not_found',
  'operation_not_found',
  'selects_everything',
  'too_many_operations',
  'job_changed',
  'queue_not_found',
  'limit_not_found',
  'limit_changed',
  'invalid_limit',
  'key_not_found',
  'out_of_scope',
  'invalid_schedule',
  'schedule_not_found',
  'schedule_exists',
  'schedule_overlaps',
  'idempotency_mismatch',
  'idempotency_key_locked',
  'unique_conflict',
  'unique_key_locked',
  'enqueue_too_old',
  'overloaded',
  'queue_full',
  ...postgresErrorCodes,
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** One fault of an input, and where it is. The shape is that of a zod issue without its internals. */
export interface InputIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The queue refused an operation. `code` is one of `errorCodes`; `message` says what to do and never shows SQL. */
export type QueueError = CodedError<ErrorCode>
export const QueueError: new (code: ErrorCode, message: string, options?: ErrorOptions) => QueueError =
  CodedError

/** The codes of an input that is invalid. */
export type InputCode =
  | 'invalid_job'
  | 'invalid_options'
  | 'invalid_limit'
  | 'invalid_schedule'
  | 'unknown_kind'
  | 'invalid_kind'
  | 'kind_conflict'

/** The input is invalid; nothing was written. */
export class InvalidInput extends QueueError {
  override readonly name: string = 'InvalidInput'
  readonly issues: readonly InputIssue[]

  constructor(code: InputCode, issues: readonly InputIssue[], options?: ErrorOptions) {
    super(code, issues.map(describeIssue).join('; '), options)
    this.issues = issues
  }
}

/** A document from outside is invalid. Its issues have the places in the document, with the names that its members have there. */
export class InvalidDocument extends InvalidInput {
  override readonly name: string = 'InvalidDocument'
}

/** A job of a batch whose idempotency key was already used for a different request. */
export interface Mismatch {
  /** Its place in the batch, from 0. */
  readonly index: number
  /** The job that has the key. */
  readonly jobId: string
}

/** Idempotency keys were already used for different requests, and the caller asked for an error then; nothing was written. */
export class IdempotencyMismatch extends QueueError {
  override readonly name = 'IdempotencyMismatch'
  readonly mismatches: readonly Mismatch[]

  constructor(mismatches: readonly Mismatch[]) {
    const descriptions = mismatches.map(({ index, jobId }) => `request ${index} has the key of job ${jobId}`)
    super(
      'idempotency_mismatch',
      `idempotency keys were already used for different requests: ${descriptions.join('; ')}`,
    )
    this.mismatches = mismatches
  }
}

/** A job of a batch whose unique key another job holds. */
export interface Refusal {
  /** Its place in the batch, from 0. */
  readonly index: number
  /** The job that holds the key. */
  readonly jobId: string
}

/** Other jobs hold the unique keys of requests with `onConflict: 'refuse'`; nothing was written. */
export class UniqueConflict extends QueueError {
  override readonly name = 'UniqueConflict'
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    const descriptions = refusals.map(({ index, jobId }) => `request ${index} has the key of job ${jobId}`)
    super('unique_conflict', `other jobs hold these unique keys: ${descriptions.join('; ')}`)
    this.refusals = refusals
  }
}

/**
 * As many jobs wait in the queue, or wait there for the tenant, as its limit allows; nothing was written. The same
 * enqueue may succeed a second later.
 */
export class QueueFull extends QueueError {
  override readonly name = 'QueueFull'
  readonly queue: string

  constructor(queue: string) {
    super('queue_full', `the queue ${queue} is full: as many jobs wait as its limit allows; try again later`)
    this.queue = queue
  }
}

/** A version of a kind whose schema can no longer change, because jobs were made with it. */
export interface KindConflict {
  readonly kind: string
  readonly version: number
  /** JSON pointers to the places where the schemas differ. */
  readonly changedPaths: readonly string[]
  /** The version under which the new schema can be registered. */
  readonly nextVersion: number
}

/** The schemas differ from those with which jobs of the same versions were made; nothing was registered. */
export class KindConflictError extends QueueError {
  override readonly name = 'KindConflictError'
  readonly conflicts: readonly KindConflict[]

  constructor(conflicts: readonly KindConflict[]) {
    super('kind_conflict', conflicts.map(describeConflict).join('; '))
    this.conflicts = conflicts
  }
}

/** A sentence that says why the schema was refused, and under which version it can be registered. */
export function describeConflict({ kind, version, changedPaths, nextVersion }: KindConflict): string {
  const where = changedPaths.map((path) => (path === '' ? 'its root' : path)).join(', ')
  return (
    `jobs of ${kind}, version ${version}, were made by another schema (it differs at ${where}): ` +
    `register this one as version ${nextVersion}`
  )
}

interface RefusedTransition {
  readonly jobId: string
  readonly status: JobStatus
  readonly verb: string
  /** The reason, where it is something other than the state. */
  readonly reason?: string
}

/** The job's state does not allow the requested transition; nothing was written. */
export class InvalidTransition extends QueueError {
  override readonly name = 'InvalidTransition'
  readonly jobId: string
  readonly status: JobStatus

  constructor({ jobId, status, verb, reason }: RefusedTransition) {
    const explanation = reason === undefined ? '' : `: ${reason}`
    super('invalid_transition', `job ${jobId} is ${status} and cannot be ${verb}${explanation}`)
    this.jobId = jobId
    this.status = status
  }
}

function describeIssue(issue: InputIssue): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`
}
