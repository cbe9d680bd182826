import { type JsonValue, limits } from '@queue/core'
import { findJsonFault } from '@queue/core/fields'

/**
 * Marks what the constructors below have made. A handler's plain result may look like an outcome
 * (`{ kind: 'succeeded' }`); without the mark it stays a result.
 */
const outcomeMark: unique symbol = Symbol.for('@queue/executor/outcome')

interface Marked {
  readonly [outcomeMark]: true
}

export interface Succeeded extends Marked {
  readonly kind: 'succeeded'
  readonly result: JsonValue
}

export interface Failed extends Marked {
  readonly kind: 'failed'
  /** Whatever was thrown; not necessarily an Error. */
  readonly error: unknown
  /** True: no further attempt is made, however many are left. */
  readonly permanent: boolean
  /** The wait before the next attempt in milliseconds; null: the retry policy's. */
  readonly retryAfterMs: number | null
}

export interface Cancelled extends Marked {
  readonly kind: 'cancelled'
}

export interface Snoozed extends Marked {
  readonly kind: 'snoozed'
  /** Milliseconds until the job runs again; the attempt is not charged. */
  readonly ms: number
}

/** How one attempt ended. Made only by `succeeded`, `failed`, `cancelled` and `snoozed`. */
export type Outcome = Succeeded | Failed | Cancelled | Snoozed

export interface FailedOptions {
  /** True where another attempt would fail as well: the job becomes a dead letter at once. Default false. */
  readonly permanent?: boolean
  /** Milliseconds until the next attempt, in place of what the job's retry policy says. */
  readonly retryAfterMs?: number
}

/** The work is done. Throws `InvalidResult` when PostgreSQL could not store `result` as JSON. */
export function succeeded(result?: unknown): Succeeded {
  return { [outcomeMark]: true, kind: 'succeeded', result: storableResult(result) }
}

/**
 * The attempt failed. It is retried by the job's policy, or after `retryAfterMs`, until its attempts are used up;
 * `permanent` ends the job at once. Throws a RangeError when `retryAfterMs` is no possible wait.
 */
export function failed(error: unknown, options: FailedOptions = {}): Failed {
  const { permanent = false, retryAfterMs } = options
  return {
    [outcomeMark]: true,
    kind: 'failed',
    error,
    permanent,
    retryAfterMs: retryAfterMs === undefined ? null : checkedWaitMs(retryAfterMs, error),
  }
}

/** The work stopped because its job was cancelled. */
export function cancelled(): Cancelled {
  return { [outcomeMark]: true, kind: 'cancelled' }
}

/** The job runs again in `ms` milliseconds, this attempt uncharged. Throws a RangeError when that is no wait. */
export function snoozed(ms: number): Snoozed {
  return { [outcomeMark]: true, kind: 'snoozed', ms: checkedWaitMs(ms) }
}

/** Whether `value` was made by one of the constructors above. */
export function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && outcomeMark in value
}

/** How many members of the path to a fault are shown. */
const shownPathMax = 8

/** A handler returned a value that PostgreSQL cannot store as JSON and return unchanged. */
export class InvalidResult extends Error {
  override readonly name = 'InvalidResult'
}

/**
 * A copy of `result` as the database will hold it: dates are texts, undefined members are gone, later changes by
 * the handler do not reach it. An undefined result is null. Throws `InvalidResult` when something in it (a BigInt,
 * a cycle, a function, NaN, U+0000, …) would be lost or refused.
 */
function storableResult(result: unknown): JsonValue {
  if (result === undefined || result === null) return null
  const text = writeJson(result)
  const fault = findJsonFault(result, { depthMax: limits.payloadDepthMax })
  if (fault !== undefined) throw new InvalidResult(`the result${describePath(fault.path)} ${fault.message}`)
  return JSON.parse(text ?? 'null') as JsonValue
}

function writeJson(value: unknown): string | undefined {
  try {
    // Functions and symbols have no JSON text; findJsonFault then says so.
    return JSON.stringify(value)
  } catch (cause) {
    throw new InvalidResult('the result cannot be written as JSON', { cause })
  }
}

function describePath(path: readonly (string | number)[]): string {
  if (path.length === 0) return ''
  const shown = path.slice(0, shownPathMax).join('.')
  return ` at ${path.length > shownPathMax ? `${shown}.…` : shown}`
}

/**
 * `ms` as whole milliseconds, rounded up. Throws a RangeError when it is not a number in [0, 10 years]; `cause` is the
 * error that asked for the wait, so that it is not lost.
 */
export function checkedWaitMs(ms: number, cause?: unknown): number {
  if (typeof ms === 'number' && ms >= 0 && ms <= limits.snoozeMsMax) return Math.ceil(ms)
  const message = `a wait must be between 0 and ${limits.snoozeMsMax} ms, not ${String(ms)}`
  throw cause === undefined ? new RangeError(message) : new RangeError(message, { cause })
}
