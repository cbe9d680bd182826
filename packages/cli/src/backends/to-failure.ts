import { ApiError, NetworkError } from '@queue/client'
import { exitCodes, Failure, type Issue } from '@queue/commands'
import type { InputIssue, Mismatch, QueueError } from '@queue/core'
import { toSnakeCase } from '@queue/core/plain'
import { failureOf } from '../failure.ts'

/** What the issues of an error name: options of the command, or places in its file. */
type Named = 'options' | 'file'

/** Converts any error to a failure. The same cause gives the same failure by either backend. */
export function toFailure(error: unknown, named: Named = 'options'): Failure {
  if (error instanceof Failure) return error
  if (error instanceof ApiError) return ofApi(error, named)
  if (error instanceof NetworkError) return ofNetwork(error)
  if (error instanceof Error && error.name === 'WaitTimeoutError') return waitTimeout(error.message)
  if (isQueueError(error)) return ofLibrary(error, named)
  const detail = error instanceof Error ? error.message : String(error)
  return isDenied(error)
    ? failureOf({ error: 'forbidden', detail, advice: 'connect as a database user with the privilege' })
    : failureOf({ error: 'internal', detail })
}

/** The result of `work`. The issues of what it throws name places in the file of the command. */
export async function inFile<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw toFailure(error, 'file')
  }
}

function waitTimeout(detail: string): Failure {
  return failureOf({
    error: 'wait_timeout',
    detail,
    exitCode: exitCodes.timedOut,
    advice: 'the job continues: wait again, or run queue follow ID',
  })
}

/** Errors whose issues name options of the command instead of members of the request. */
const optionErrors: readonly string[] = ['invalid_query', 'invalid_header', 'invalid_body', 'invalid_options']

function ofApi({ error, status, detail, issues, permission }: ApiError, named: Named): Failure {
  if (issues.length > 0) {
    const found = issues.map(({ path, message }) => ({ path, message }))
    return withIssues(error, found, named)
  }
  return failureOf({
    error,
    detail: permission === undefined ? detail : `the API key lacks the permission ${permission}`,
    exitCode: status === 429 || status === 502 || status === 503 ? exitCodes.unavailable : undefined,
  })
}

function ofNetwork({ message }: NetworkError): Failure {
  return failureOf({
    error: 'unreachable',
    detail: message,
    advice: 'check that the API is running, and that --api or QUEUE_API_URL has its URL',
  })
}

function ofLibrary(error: QueueError, named: Named): Failure {
  if ('issues' in error) {
    const issues = (error.issues as readonly InputIssue[]).map(({ path, message }) => ({
      path: toPointer(error.name === 'InvalidDocument' ? path : inWireNames(path)),
      message,
    }))
    return withIssues(error.code, issues, named)
  }
  const detail = 'mismatches' in error ? mismatchOf(error.mismatches as readonly Mismatch[]) : error.message
  const cause =
    error.code === 'database_unavailable' && error.cause instanceof Error ? error.cause : undefined
  return failureOf({
    error: error.code,
    detail: cause === undefined ? detail : `${detail} (${cause.message})`,
    exitCode: isRejectedUser(cause) ? exitCodes.notPermitted : undefined,
  })
}

/** The command enqueues one job, so there is one mismatch. */
function mismatchOf([first]: readonly Mismatch[]): string {
  const difference = 'with a different kind, queue or payload'
  return `the idempotency key was used for job ${first?.jobId} ${difference}: use another key`
}

function withIssues(error: string, wireIssues: readonly Issue[], named: Named): Failure {
  const issues =
    named === 'file'
      ? wireIssues
      : wireIssues.map(({ path, message }) => ({ path: toOption(path, error), message }))
  const detail = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  return failureOf({ error: optionErrors.includes(error) ? 'invalid_options' : error, detail, issues })
}

type Path = InputIssue['path']

/** The names of the API. Members inside a payload or metadata keep the names of the caller. */
function inWireNames(path: Path): Path {
  const callersAt = path.findIndex((part) => part === 'payload' || part === 'metadata')
  return path.map((part, index) => {
    const isOurs = callersAt === -1 || index < callersAt
    return isOurs && typeof part === 'string' ? toSnakeCase(part) : part
  })
}

/** A JSON pointer (RFC 6901). */
function toPointer(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The options that set a part of a member. */
const optionsOfParts: Readonly<Record<string, string>> = {
  '/unique/key': '--unique-key',
  '/unique/scope': '--unique-scope',
  '/unique/window_ms': '--unique-window',
  '/unique/max_wait_ms': '--unique-max-wait',
  '/unique/on_conflict': '--on-conflict',
  '/rate/count': '--rate',
  '/rate/per_ms': '--per',
  '/rate/burst': '--burst',
  '/ordered/on_retry': '--on-retry',
}

/**
 * Converts `/created_after` to `--created-after`, wherever it is in a request: `/filter/queue` is `--queue`, and
 * `/fingerprint/0` is the first text of `--fingerprint`. Positional arguments stay pointers.
 */
function toOption(pointer: string, error: string): string {
  const member = pointer.replace(/^\/filter(?=\/)/, '').replace(/^(\/fingerprint)\/\d+$/, '$1')
  const part = optionsOfParts[member]
  if (part !== undefined) return part
  const isArgument = (member === '/kind' || member === '/name') && !optionErrors.includes(error)
  if (!/^\/[\w-]+$/.test(member) || member === '/payload' || isArgument) return pointer
  const name = member
    .slice(1)
    .replace(/^tenant_id$/, 'tenant')
    .replace(/^version$/, 'kind-version')
    .replace(/_ms$/, '')
  return `--${name.replaceAll('_', '-')}`
}

/** Compared by name, so that the API backend does not load the database library. */
const libraryErrors: readonly string[] = [
  'QueueError',
  'InvalidInput',
  'InvalidDocument',
  'InvalidTransition',
  'IdempotencyMismatch',
  'UniqueConflict',
  'QueueFull',
  'KindConflictError',
]

export function isQueueError(error: unknown): error is QueueError {
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
