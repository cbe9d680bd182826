import type { InputIssue } from './errors.ts'

/** What an enqueue says of when a job may begin, and by when it has to. */
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
export function expiryFault({
  runAt,
  delayMs,
  expiresAt,
  expiresInMs,
}: ExpiryOptions): InputIssue | undefined {
  const [at, inMs] = [expiresAt ?? undefined, expiresInMs ?? undefined]
  if (at !== undefined && inMs !== undefined) {
    return { path: ['expiresInMs'], message: 'give an instant or a duration, not both' }
  }
  if (at !== undefined && runAt != null && at <= runAt) return { path: ['expiresAt'], message: before }
  if (inMs !== undefined && delayMs != null && inMs <= delayMs)
    return { path: ['expiresInMs'], message: before }
  return undefined
}

/** What is wrong with the expiry of a job that is enqueued at `nowMs`, milliseconds since 1970. */
export function expiryFaultAt(options: ExpiryOptions, nowMs: number): InputIssue | undefined {
  const { runAt, delayMs, expiresAt, expiresInMs } = options
  if (expiresAt == null && expiresInMs == null) return undefined
  const startMs = Math.max(nowMs, runAt?.getTime() ?? nowMs + (delayMs ?? 0))
  const endMs = expiresAt?.getTime() ?? nowMs + (expiresInMs ?? 0)
  if (endMs > startMs) return undefined
  return { path: [expiresAt == null ? 'expiresInMs' : 'expiresAt'], message: before }
}
