import type { Enqueued } from '@queue/core'
import { Problem } from '../http/problem.ts'
import type { IdempotencyMismatch } from '../services.ts'

/** How strictly a known key is compared with the request that uses it again. */
export interface MismatchPolicy {
  readonly idempotencyMismatch: IdempotencyMismatch
  readonly preferences: ReadonlyMap<string, string>
}

/** Whether a known key with a different request is to be refused. */
export function isStrict({ idempotencyMismatch, preferences }: MismatchPolicy): boolean {
  return idempotencyMismatch === 'reject' || preferences.get('handling') === 'strict'
}

/** Throws 422 when the key belongs to a different request and the client, or the server, wants to know. */
export function assertSameRequest(enqueued: Enqueued, policy: MismatchPolicy): void {
  if (!enqueued.mismatched || !isStrict(policy)) return
  throw new Problem('idempotency_mismatch', {
    detail: `the idempotency key belongs to job ${enqueued.job.id}, whose kind, queue or payload differ`,
  })
}

/** What the header Unique-Conflict says. */
export const conflictHeader =
  'Present when the unique key is held: what was done to the job that holds it (returned, replaced, rescheduled).'

/** What an answer says of idempotency keys that were known, and of unique keys that were held. */
export function replayHeaders(enqueued: readonly Enqueued[]): Record<string, string> {
  const conflict = enqueued.find((one) => one.conflict !== undefined)?.conflict
  return {
    ...(enqueued.some((one) => one.replayed) ? { 'idempotent-replayed': 'true' } : {}),
    ...(enqueued.some((one) => one.mismatched) ? { 'idempotency-mismatch': 'true' } : {}),
    ...(conflict === undefined ? {} : { 'unique-conflict': conflict }),
  }
}
