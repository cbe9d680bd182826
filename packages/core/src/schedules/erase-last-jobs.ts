// Removes erased jobs from the schedules that have made them. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/**
 * Schedules whose last job is one of these have none any more. A schedule that another transaction has locked is about
 * to have another last job: who locks one may wait for jobs, so this must not wait for it.
 */
export async function eraseLastJobs(
  { schema, run }: QueueDatabase,
  erased: readonly { readonly id: string }[],
): Promise<void> {
  if (erased.length === 0) return
  const schedules = sql.id(schema, 'schedules')
  await run(sql`
    WITH target AS MATERIALIZED (
      SELECT s.tenant_id, s.name FROM ${schedules} AS s
       WHERE s.last_job_id = ANY(${erased.map(({ id }) => id)}::uuid[]) FOR UPDATE SKIP LOCKED
    )
    UPDATE ${schedules} AS s SET last_job_id = NULL FROM target AS t WHERE s.tenant_id = t.tenant_id AND s.name = t.name`)
}
