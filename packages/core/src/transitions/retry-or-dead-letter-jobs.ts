// running → retrying, or → failed_permanent with a dead letter. Called by the worker that holds the lease.
import { sql } from 'kysely'
import { sqlStateOf } from '@queue/postgres'
import type { Lease } from '../domain/job.ts'
import { boundedWaitMs } from '../domain/retry.ts'
import { leaseIds, leaseTokens, textsOf, valuesOf } from '../database/lease-rows.ts'
import { createCompletion, unlessCancelled } from './complete-attempts.ts'

export interface FailureWrite {
  readonly lease: Lease
  readonly error: string
  /** The error group that counts the failure; absent: none does. */
  readonly cause?: { readonly errorClass: string; readonly fingerprint: string }
  /** Milliseconds from the end of this attempt to the next, limited to 0..`snoozeMsMax`. */
  readonly waitMs: number
  /** Whether no further attempt can help. */
  readonly permanent: boolean
}

/**
 * Records that these attempts failed. A job with attempts left waits `waitMs`. A job without attempts left, or with a
 * permanent failure, becomes failed_permanent and gets a dead letter in the same statement. A job whose cancel was
 * requested becomes cancelled.
 */
export const retryOrDeadLetterJobs = createCompletion<FailureWrite>({
  usualStatus: 'retrying',
  recordedAs: ['failed', 'cancelled'],
  transition: (names, given) => ({
    input: sql`unnest(${given(leaseIds)}::uuid[], ${given(leaseTokens)}::bigint[],
      ${given(valuesOf((write) => write.error))}::text[], ${given(valuesOf((write) => boundedWaitMs(write.waitMs)))}::float8[],
      ${given(valuesOf((write) => write.permanent))}::boolean[],
      ${given(textsOf((write) => write.cause?.errorClass ?? null))}::text[],
      ${given(textsOf((write) => write.cause?.fingerprint ?? null))}::text[])
      AS i (id, lease_token, error, wait_ms, permanent, error_class, fingerprint)`,
    inputColumns: ['error', 'wait_ms', 'permanent', 'error_class', 'fingerprint'],
    optionalTexts: ['error_class', 'fingerprint'],
    nextStatus: unlessCancelled(
      names,
      sql`CASE WHEN h.permanent OR h.attempt >= h.max_attempts THEN ${names.status.failed_permanent}
               ELSE ${names.status.retrying} END`,
    ),
    runAt: sql`statement_timestamp() + h.wait_ms * interval '1 millisecond'`,
    attemptsDelta: 0,
    lastError: sql`h.error`,
    result: sql`NULL`,
    history: {
      outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'failed' END`,
      error: sql`h.error`,
      hasCause: true,
      mayDeadLetter: true,
    },
  }),
  sanitise: (write, error) => ({
    ...write,
    error: `the attempt failed; its error could not be stored (SQLSTATE ${sqlStateOf(error) ?? 'unknown'})`,
  }),
})
