import { sql } from 'kysely'
import type { QueueDatabase } from './connect.ts'

/**
 * Waits for these jobs and locks them, in the order of their ids. Only called before unique keys are locked: a
 * transaction that has locked a unique key must not wait for jobs.
 */
export async function lockJobs({ names, run }: QueueDatabase, ids: readonly string[]): Promise<void> {
  await run(sql`
    SELECT j.id FROM (SELECT unnest(${ids.toSorted()}::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT j.id FROM ${names.jobs} AS j WHERE j.id = i.id FOR NO KEY UPDATE) AS j`)
}
