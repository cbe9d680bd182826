import type { InputIssue } from './errors.ts'

/** What an enqueue says of when a job may begin, and by when it has to. Null and undefined: nothing. */
export interface ExpiryOptions {
  readonly runAt?: Date | null | undefined
  readonly delayMs?: number | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly expiresInMs?: number | null | undefined
}

const before = 'must be after the earliest start of the job'

/**
 * What is wrong with the expiry by the options alone: instants are compared with instants, and durations with durations. What
 * that leaves open the database's clock decides: see `expiryFaultAt`.
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
    return { path: ['expiresAt'], message: before }
  }
  if (expiresInMs !== undefined && delayMs !== undefined && expiresInMs <= delayMs) {
    return { path: ['expiresInMs'], message: before }
  }
  return undefined
}

/** What is wrong with the expiry of a job that is enqueued at `nowMs`, milliseconds since 1970. */
export function expiryFaultAt(options: ExpiryOptions, nowMs: number): InputIssue | undefined {
  const expiresAtMs = options.expiresAt?.getTime()
  const expiresInMs = options.expiresInMs ?? undefined
  if (expiresAtMs === undefined && expiresInMs === undefined) return undefined
  const startMs = Math.max(nowMs, options.runAt?.getTime() ?? nowMs + (options.delayMs ?? 0))
  const endMs = expiresAtMs ?? nowMs + (expiresInMs ?? 0)
  if (endMs > startMs) return undefined
  return { path: [expiresAtMs === undefined ? 'expiresInMs' : 'expiresAt'], message: before }
}
