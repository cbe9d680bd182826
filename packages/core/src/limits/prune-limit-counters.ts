import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { pruneBatchMax } from '../domain/limits.ts'

/**
 * Removes up to `pruneBatchMax` counters of keys that count nothing, whose rate is unspent, that no job holds, and in whose lanes nothing waits;
 * gives their number. A claim that misses one has it made again.
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
