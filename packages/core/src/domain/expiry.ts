import type { InputIssue } from './errors.ts'

/** The options that say when a job may start, and when it must have started. Null means the same as undefined: not set. */
export interface ExpiryOptions {
  readonly runAt?: Date | null | undefined
  readonly delayMs?: number | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly expiresInMs?: number | null | undefined
}

const mustFollowStart = 'must be after the earliest start of the job'

/**
 * The fault of an expiry that shows without a clock: instants are compared with instants, and durations with durations.
 * A mix of both needs the database's clock: see `expiryFaultAt`.
 */
export function expiryFault(options: ExpiryOptions): InputIssue | undefined {
  const runAtMs = options.runAt?.getTime()
  const delayMs = options.delayMs ?? undefined
  const expiresAtMs = options.expiresAt?.getTime()
  const expiresInMs = options.expiresInMs ?? undefined
  if (expiresAtMs !== undefined && expiresInMs !== undefined) {
    return { path: ['expiresInMs'], message: 'give an instant or a duration, not both' }
  }
  if (expiresAtMs !== undefined && runAtMs !== undefined && expiresAtMs <= runAtMs) {
    return { path: ['expiresAt'], message: mustFollowStart }
  }
  if (expiresInMs !== undefined && delayMs !== undefined && expiresInMs <= delayMs) {
    return { path: ['expiresInMs'], message: mustFollowStart }
  }
  return undefined
}

/** The fault of the expiry of a job that is enqueued at `nowMs`, in milliseconds since 1970. */
export function expiryFaultAt(options: ExpiryOptions, nowMs: number): InputIssue | undefined {
  const expiresAtMs = options.expiresAt?.getTime()
  const expiresInMs = options.expiresInMs ?? undefined
  if (expiresAtMs === undefined && expiresInMs === undefined) return undefined
  const startMs = Math.max(nowMs, options.runAt?.getTime() ?? nowMs + (options.delayMs ?? 0))
  const endMs = expiresAtMs ?? nowMs + (expiresInMs ?? 0)
  if (endMs > startMs) return undefined
  return { path: [expiresAtMs === undefined ? 'expiresInMs' : 'expiresAt'], message: mustFollowStart }
}
