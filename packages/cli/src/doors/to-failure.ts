import { ApiError, NetworkError, WaitTimeoutError } from '@queue/client'
import type { InputIssue, Mismatch, QueueError } from '@queue/core'
import { exitCodes } from '../exit-codes.ts'
import { Failure, type Issue } from '../failure.ts'
import { toSnakeCase } from './wire.ts'

/** What went wrong, whichever way was taken: the same failure for the same cause. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ApiError) return ofApi(error)
  if (error instanceof NetworkError) return ofNetwork(error)
  if (error instanceof WaitTimeoutError) return waitTimeout(error.message)
  if (isQueueError(error)) return ofLibrary(error)
  const detail = error instanceof Error ? error.message : String(error)
  return isDenied(error)
    ? new Failure({ error: 'forbidden', detail, advice: 'connect as a user that has the privilege' })
    : new Failure({ error: 'internal', detail })
}

function waitTimeout(detail: string): Failure {
  return new Failure({
    error: 'wait_timeout',
    detail,
    exitCode: exitCodes.timedOut,
    advice: 'the job goes on; wait again, or queue follow ID',
  })
}

/** Where the API names the part of the request that is wrong, the command names the option. */
const optionErrors: readonly string[] = ['invalid_query', 'invalid_header', 'invalid_body', 'invalid_options']

function ofApi({ error, status, detail, issues, permission }: ApiError): Failure {
  if (issues.length > 0) {
    return withIssues(
      error,
      issues.map(({ path, message }) => ({ path, message })),
    )
  }
  return new Failure({
    error,
    detail: permission === undefined ? detail : `the key lacks the permission ${permission}`,
    exitCode: status === 429 || status === 502 || status === 503 ? exitCodes.unavailable : undefined,
  })
}

function ofNetwork({ message }: NetworkError): Failure {
  return new Failure({
    error: 'unreachable',
    detail: message,
    advice: 'see that the API runs, and that --api or QUEUE_API_URL names it',
  })
}

function ofLibrary(error: QueueError): Failure {
  if ('issues' in error) {
    const issues = (error.issues as readonly InputIssue[]).map(({ path, message }) => ({
      path: toPointer(path),
      message,
    }))
    return withIssues(error.code, issues)
  }
  const detail = 'mismatches' in error ? mismatchOf(error.mismatches as readonly Mismatch[]) : error.message
  const cause =
    error.code === 'database_unavailable' && error.cause instanceof Error ? error.cause : undefined
  return new Failure({
    error: error.code,
    detail: cause === undefined ? detail : `${detail} (${cause.message})`,
    exitCode: isRejectedUser(cause) ? exitCodes.notPermitted : undefined,
  })
}

/** Of the one job that is enqueued at a time. */
function mismatchOf([first]: readonly Mismatch[]): string {
  return `the idempotency key belongs to job ${first?.jobId}, whose kind, queue or payload differ`
}

function withIssues(error: string, given: readonly Issue[]): Failure {
  const issues = given.map(({ path, message }) => ({ path: toOption(path, error), message }))
  const detail = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return new Failure({ error: optionErrors.includes(error) ? 'invalid_options' : error, detail, issues })
}

/** A JSON pointer (RFC 6901) in the names of the API; what is inside a payload has the caller's own names. */
function toPointer(path: readonly (string | number)[]): string {
  const parts =
    path[0] === 'payload' ? path : path.map((part) => (typeof part === 'string' ? toSnakeCase(part) : part))
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** `/created_after` as it is typed: `--created-after`. What a command names by a word is no option. */
function toOption(pointer: string, error: string): string {
  const isWord = (pointer === '/kind' || pointer === '/name') && !optionErrors.includes(error)
  if (!/^\/\w+$/.test(pointer) || pointer === '/payload' || isWord) return pointer
  const name = pointer
    .slice(1)
    .replace(/^tenant_id$/, 'tenant')
    .replace(/^version$/, 'kind-version')
    .replace(/_ms$/, '')
  return `--${name.replaceAll('_', '-')}`
}

/** By their names: whoever takes the way of the API does not load the library of the database. */
const libraryErrors: readonly string[] = [
  'QueueError',
  'InvalidInput',
  'InvalidTransition',
  'IdempotencyMismatch',
  'UniqueConflict',
]

function isQueueError(error: unknown): error is QueueError {
  return error instanceof Error && libraryErrors.includes(error.name) && 'code' in error
}

/** PostgreSQL: insufficient_privilege. */
function isDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501'
}

/** PostgreSQL: invalid_password, invalid_authorization_specification. */
function isRejectedUser(error: Error | undefined): boolean {
  return error !== undefined && 'code' in error && (error.code === '28P01' || error.code === '28000')
}
