// Removes what requeues have kept for their undo, once it is too late for one. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { pruneBatchMax, requeueUndoMs } from '../domain/limits.ts'

/** Removes up to `pruneBatchMax` of them, and returns their number. A locked one is left for the next call. */
export async function pruneRequeuedJobs({ names, run }: QueueDatabase): Promise<number> {
  const [row] = await run(sql<{ pruned: number }>`
    WITH gone AS (
      DELETE FROM ${names.requeuedJobs} AS k WHERE k.ctid = ANY(ARRAY(
        SELECT o.ctid FROM ${names.requeuedJobs} AS o
         WHERE o.requeued_at < now() - ${sql.lit(requeueUndoMs)}::float8 * interval '1 millisecond'
         LIMIT ${sql.lit(pruneBatchMax)} FOR UPDATE SKIP LOCKED))
      RETURNING 1
    )
    SELECT count(*)::int AS pruned FROM gone`)
  return row?.pruned ?? 0
}
