// running → succeeded. Called by the worker that holds the lease; a lost lease changes nothing.
import { sql } from 'kysely'
import { sqlStateOf } from '@queue/postgres'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseTokens, textsOf } from '../database/lease-rows.ts'
import { type CompletionGroup, createCompletion } from './complete-attempts.ts'

export interface FinishWrite {
  readonly lease: Lease
  /** The JSON text of the handler's result, or null. */
  readonly resultText: string | null
  /** Written to `last_error` where the result could not be kept; null otherwise. */
  readonly note: string | null
}

const finish: CompletionGroup<FinishWrite> = {
  usualStatus: 'succeeded',
  recordedAs: ['succeeded'],
  transition: (names, given) => ({
    input: sql`unnest(${given(leaseIds)}::uuid[], ${given(leaseTokens)}::bigint[],
      ${given(textsOf((write) => write.resultText))}::text[], ${given(textsOf((write) => write.note))}::text[])
      AS i (id, lease_token, result, note)`,
    inputColumns: ['result', 'note'],
    optionalTexts: ['result', 'note'],
    nextStatus: names.status.succeeded,
    runAt: sql`h.run_at`,
    attemptsDelta: 0,
    lastError: sql`h.note`,
    result: sql`h.result::jsonb`,
    history: 'on job',
  }),
  sanitise: (write, error) => ({
    lease: write.lease,
    resultText: null,
    note: `the result could not be stored (SQLSTATE ${sqlStateOf(error) ?? 'unknown'})`,
  }),
}

/**
 * Records that these attempts succeeded, in one statement. A requested cancel to which the
 * handler did not react changes nothing: the job is recorded as succeeded, because it did.
 */
export const finishJobs = createCompletion(finish)

/**
 * The same inside a caller's transaction. An end that was recorded before counts as `lease_lost`: it cannot be a lost
 * reply of this transaction, which is still open.
 */
export const finishJobsInside = createCompletion({ ...finish, recordedAs: [] })
