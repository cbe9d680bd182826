import { InvalidInput, type JsonValue, limits, QueueError } from '@queue/core'
import { assertKnownOptions } from '@queue/loop/arguments'
import { findJsonFault } from '@queue/core/internal'
import type { z } from 'zod'
import { inputIssues } from './input-issues.ts'

/**
 * Marks the values that the constructors below create. A handler's plain result may look like an outcome
 * (`{ kind: 'succeeded' }`); without this mark it remains a result.
 */
const outcomeMark: unique symbol = Symbol.for('@queue/executor/outcome')

interface Marked {
  readonly [outcomeMark]: true
}

export interface Succeeded extends Marked {
  readonly kind: 'succeeded'
  readonly result: JsonValue
  /** Why the value that the handler returned is not kept; null if it is. */
  readonly note: string | null
}

export interface Failed extends Marked {
  readonly kind: 'failed'
  /** The thrown value, not necessarily an Error. */
  readonly error: unknown
  /** True: no further attempt is made, even if some are left. */
  readonly permanent: boolean
  /** The wait before the next attempt in milliseconds; null: the retry policy decides. */
  readonly retryAfterMs: number | null
  /** Whether the work has not begun, because its schema refuses the payload. */
  readonly refusesPayload: boolean
}

export interface Cancelled extends Marked {
  readonly kind: 'cancelled'
}

export interface Snoozed extends Marked {
  readonly kind: 'snoozed'
  /** Milliseconds until the job runs again; the attempt is not charged. */
  readonly ms: number
}

/** The end of one attempt. Only `succeeded`, `failed`, `cancelled` and `snoozed` create it. */
export type Outcome = Succeeded | Failed | Cancelled | Snoozed

export interface FailedOptions {
  /** True if another attempt would fail as well: the job becomes a dead letter at once. Default false. */
  readonly permanent?: boolean
  /** Milliseconds until the next attempt, in place of the wait of the job's retry policy. */
  readonly retryAfterMs?: number
}

/**
 * The work is done. If PostgreSQL cannot store `result` as JSON, the job succeeds without a result, and a note says why: a retry
 * would repeat work that is finished.
 */
export function succeeded(result?: unknown): Succeeded {
  const { result: stored, note } = storableResult(result)
  return { [outcomeMark]: true, kind: 'succeeded', result: stored, note }
}

/**
 * The attempt failed. The job is retried by its policy, or after `retryAfterMs`, until its attempts are used up; `permanent`
 * ends the job at once. Throws `invalid_options` if `retryAfterMs` is out of range.
 */
export function failed(error: unknown, options: FailedOptions = {}): Failed {
  assertKnownOptions('failed', options, { permanent: true, retryAfterMs: true })
  const { permanent = false, retryAfterMs } = options
  return {
    [outcomeMark]: true,
    kind: 'failed',
    error,
    permanent,
    retryAfterMs: retryAfterMs === undefined ? null : checkedWaitMs(retryAfterMs, error),
    refusesPayload: false,
  }
}

/** The work cannot begin, because the schema of its kind refuses the payload. */
export function payloadRefused(error: z.ZodError): Failed {
  const fault = new InvalidInput('invalid_job', inputIssues(error, ['payload']))
  return { ...failed(fault, { permanent: true }), refusesPayload: true }
}

/** The work stopped because its job was cancelled. */
export function cancelled(): Cancelled {
  return { [outcomeMark]: true, kind: 'cancelled' }
}

/** The job runs again in `ms` milliseconds, and this attempt is not charged. Throws `invalid_options` if `ms` is out of range. */
export function snoozed(ms: number): Snoozed {
  return { [outcomeMark]: true, kind: 'snoozed', ms: checkedWaitMs(ms) }
}

/** Whether one of the constructors above created `value`. */
export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && outcomeMark in value
}

/** How many elements of the path to a fault an error shows. */
const shownPathMax = 8

/**
 * A copy of `result` as the database will store it: dates become texts, undefined members are dropped, and later changes by the
 * handler do not affect it. An undefined result becomes null. If a part of it (a BigInt, a cycle, a function, NaN, U+0000, …) would
 * be lost or refused, the result is null with a note. Never throws.
 */
export function storableResult(result: unknown): Pick<Succeeded, 'result' | 'note'> {
  if (result === undefined || result === null) return { result: null, note: null }
  try {
    const text = JSON.stringify(result)
    const fault = findJsonFault(result, { depthMax: limits.payloadDepthMax })
    if (fault !== undefined) return notKept(`${describePath(fault.path)} ${fault.message}`)
    return { result: JSON.parse(text) as JsonValue, note: null }
  } catch {
    return notKept(' cannot be written as JSON')
  }
}

function notKept(reason: string): Pick<Succeeded, 'result' | 'note'> {
  return { result: null, note: `the job succeeded; its result${reason}, and was not kept` }
}

function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const shown = path.slice(0, shownPathMax).join('.')
  return ` at ${path.length > shownPathMax ? `${shown}.…` : shown}`
}

/**
 * `ms` as whole milliseconds, rounded up. Throws `invalid_options` if it is not a number in [0, 10 years]; `cause` is the error
 * that requested the wait, and becomes the cause of this one.
 */
export function checkedWaitMs(ms: number, cause?: unknown): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= limits.snoozeMsMax) return Math.ceil(ms)
  const found = typeof ms === 'number' ? String(ms) : `a ${typeof ms}`
  const message = `a wait must be a number of ms between 0 and ${limits.snoozeMsMax}, not ${found}`
  throw new QueueError('invalid_options', message, cause === undefined ? {} : { cause })
}
