import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { pruneBatchMax } from '../domain/limits.ts'

/**
 * Removes up to `pruneBatchMax` unused counters of keys: no job is counted or holds the key, the rate has all of its
 * tokens, and no job waits in the key's lanes. Returns their number. A claim that needs a removed counter creates it
 * again.
 */
export async function pruneLimitCounters({ names, run }: QueueDatabase): Promise<number> {
  const rows = await run(sql`
    WITH unused AS (
      SELECT c.queue, c.scope, c.name, c.tenant_id FROM ${names.limitCounters} AS c
       WHERE c.scope = 'key' AND c.running = 0 AND c.spent_until < statement_timestamp()
         AND NOT EXISTS (SELECT FROM ${names.lanes} AS l
                          WHERE l.queue = c.queue AND l.key = c.name AND l.tenant_id = c.tenant_id)
         AND NOT EXISTS (SELECT FROM ${names.jobs} AS j WHERE j.id = c.held_by AND j.finished_at IS NULL)
       LIMIT ${sql.lit(pruneBatchMax)} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM ${names.limitCounters} AS c USING unused AS u
     WHERE c.queue = u.queue AND c.scope = u.scope AND c.name = u.name AND c.tenant_id = u.tenant_id
    RETURNING c.queue`)
  return rows.length
}
