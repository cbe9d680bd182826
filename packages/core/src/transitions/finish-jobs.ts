// running → succeeded. Called by the worker that holds the lease; a lost lease changes nothing.
import { sql } from 'kysely'
import { sqlStateOf } from '@queue/postgres'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseTokens, type CompletionGroup, completing, texts } from './complete-attempts.ts'

export interface FinishWrite {
  readonly lease: Lease
  /** The JSON text of what the handler returned, or null. */
  readonly resultText: string | null
  /** Said in `last_error` where the result could not be kept; null otherwise. */
  readonly note: string | null
}

const finishing: CompletionGroup<FinishWrite> = {
  usualStatus: 'succeeded',
  recordedAs: ['succeeded'],
  transition: (names, given) => ({
    input: sql`unnest(${given(leaseIds)}::uuid[], ${given(leaseTokens)}::bigint[],
      ${given(texts((write) => write.resultText))}::text[], ${given(texts((write) => write.note))}::text[])
      AS i (id, lease_token, result, note)`,
    inputColumns: ['result', 'note'],
    nextStatus: names.status.succeeded,
    runAt: sql`h.run_at`,
    attemptsDelta: 0,
    lastError: sql`h.note`,
    result: sql`h.result::jsonb`,
    history: { outcome: sql`'succeeded'`, error: sql`NULL::text`, mayDeadLetter: false },
  }),
  sanitise: (write, error) => ({
    lease: write.lease,
    resultText: null,
    note: `the result could not be stored (SQLSTATE ${sqlStateOf(error) ?? 'unknown'})`,
  }),
}

/**
 * Records that these attempts succeeded, each with its history row, in one statement. A cancel that was asked for
 * and that the handler did not observe changes nothing: the job is recorded as what it really was.
 */
export const finishJobs = completing(finishing)

/**
 * The same as a part of a transaction, which is told of an end that was recorded before that its lease is lost: no reply
 * of its own can have been, because the transaction is still open.
 */
export const finishJobsInside = completing({ ...finishing, recordedAs: [] })
