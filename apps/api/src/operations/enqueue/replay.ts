import type { Enqueued } from '@queue/core'
import { Problem } from '../../http/problem.ts'
import { type JobView, hidesPart } from '../../kinds/job-view.ts'
import type { IdempotencyMismatch } from '../../services.ts'

/** How the server reacts to an idempotency key that is reused with a different request. */
export interface MismatchPolicy {
  readonly idempotencyMismatch: IdempotencyMismatch
  readonly preferences: ReadonlyMap<string, string>
}

/** Whether a known idempotency key with a different request must be refused. */
export function isStrict({ idempotencyMismatch, preferences }: MismatchPolicy): boolean {
  return idempotencyMismatch === 'reject' || preferences.get('handling') === 'strict'
}

/**
 * The same without the mismatches that would tell of hidden parts of a payload: whoever knows the key of such a job could otherwise
 * guess them, one request for each guess.
 */
export function withoutGuesses<Replay extends Enqueued>(enqueued: Replay, view: JobView): Replay {
  return enqueued.mismatched && hidesPart(enqueued.job, view) ? { ...enqueued, mismatched: false } : enqueued
}

/** Throws 422 if the key belongs to a different request and the client or the server asked for that. */
export function assertSameRequest(enqueued: Enqueued, policy: MismatchPolicy): void {
  if (!enqueued.mismatched || !isStrict(policy)) return
  throw new Problem('idempotency_mismatch', {
    detail: `the idempotency key was used for job ${enqueued.job.id} with a different kind, queue or payload: use another key`,
  })
}

/** The description of the Unique-Conflict header. */
export const conflictHeader =
  'Present if another job already holds the unique key: `returned`, `replaced` or `rescheduled` says what happened ' +
  'to that job.'

/** The response headers for idempotency keys that already existed and for unique keys that were held. */
export function replayHeaders(enqueued: readonly Enqueued[]): Record<string, string> {
  const conflict = enqueued.find((result) => result.conflict !== undefined)?.conflict
  return {
    ...(enqueued.some((result) => result.replayed) ? { 'idempotent-replayed': 'true' } : {}),
    ...(enqueued.some((result) => result.mismatched) ? { 'idempotency-mismatch': 'true' } : {}),
    ...(conflict === undefined ? {} : { 'unique-conflict': conflict }),
  }
}
