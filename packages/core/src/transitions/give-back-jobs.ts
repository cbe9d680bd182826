// running → queued when nothing was ever charged, else → retrying. Called by the worker that holds the lease.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import {
  leaseIds,
  leaseInput,
  leaseTokens,
  type Settlement,
  settling,
  unlessCancelled,
} from './settle-attempts.ts'

/** Returns jobs that were claimed and never begun: as if they had not been claimed, and without a history row. */
export function giveBackJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Settlement[]> {
  return giveBack(
    database,
    leases.map((lease) => ({ lease })),
  )
}

const giveBack = settling<{ readonly lease: Lease }>({
  usualStatus: 'queued',
  recordedAs: [],
  arrow: (names, given) => ({
    input: leaseInput(given(leaseIds), given(leaseTokens)),
    inputColumns: [],
    nextStatus: unlessCancelled(
      names,
      sql`CASE WHEN h.attempt <= 1 THEN ${names.status.queued} ELSE ${names.status.retrying} END`,
    ),
    runAt: sql`h.run_at`,
    attemptsDelta: -1,
    lastError: sql`NULL::text`,
    result: sql`NULL`,
    history: null,
  }),
  sanitise: (write) => write,
})
