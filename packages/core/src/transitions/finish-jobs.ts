// running → succeeded. Called by the worker that holds the lease; a lost lease changes nothing.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { sqlStateOf } from '../database/pg-error.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseTokens, type Settlement, settleAttempts, texts } from './settle-attempts.ts'

export interface FinishWrite {
  readonly lease: Lease
  /** The JSON text of what the handler returned, or null. */
  readonly resultText: string | null
  /** Said in `last_error` where the result could not be kept; null otherwise. */
  readonly note: string | null
}

/**
 * Records that these attempts succeeded, each with its history row, in one statement. A cancel that was asked for
 * and that the handler did not observe changes nothing: the job is recorded as what it really was.
 */
export function finishJobs(database: QueueDatabase, writes: readonly FinishWrite[]): Promise<Settlement[]> {
  return settleAttempts(database, writes, {
    arrow: (names, group) => ({
      input: sql`unnest(${leaseIds(group)}::uuid[], ${leaseTokens(group)}::bigint[],
        ${texts(group.map((write) => write.resultText))}::text[], ${texts(group.map((write) => write.note))}::text[])
        AS i (id, lease_token, result, note)`,
      inputColumns: ['result', 'note'],
      nextStatus: names.status.succeeded,
      usualStatus: 'succeeded',
      runAt: sql`h.run_at`,
      attemptsDelta: 0,
      lastError: sql`h.note`,
      result: sql`h.result::jsonb`,
      history: { outcome: sql`'succeeded'`, error: sql`NULL::text`, mayBury: false },
      recordedAs: ['succeeded'],
    }),
    sanitise: (write, error) => ({
      lease: write.lease,
      resultText: null,
      note: `the result could not be stored (SQLSTATE ${sqlStateOf(error) ?? 'unknown'})`,
    }),
  })
}
