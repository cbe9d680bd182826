// Removes the errors of erased jobs from the error groups. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/**
 * Error groups with a sample from one of these jobs keep their counts, and lose the sample. The next failure is the
 * next sample. The groups are locked in the order of their keys.
 */
export async function eraseSamples(
  { names, run }: QueueDatabase,
  erased: readonly { readonly id: string }[],
): Promise<void> {
  if (erased.length === 0) return
  await run(sql`
    WITH target AS MATERIALIZED (
      SELECT e.tenant_id, e.queue, e.fingerprint FROM ${names.errors} AS e
       WHERE e.sample_job_id = ANY(${erased.map(({ id }) => id)}::uuid[])
       ORDER BY e.tenant_id, e.queue, e.fingerprint FOR UPDATE
    )
    UPDATE ${names.errors} AS e SET sample_job_id = NULL, sample_error = 'erased', sampled_at = '-infinity' FROM target AS t
     WHERE e.tenant_id = t.tenant_id AND e.queue = t.queue AND e.fingerprint = t.fingerprint`)
}
