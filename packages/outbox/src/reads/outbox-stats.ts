import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'

export interface OutboxStats {
  /** Undelivered messages, including those that a relay holds now. */
  readonly pending: number
  /** Seconds since the oldest of them was published; 0 if there is none. */
  readonly oldestSeconds: number
}

/**
 * Counts the undelivered messages. It reads only the indexes over undelivered messages; each of them is in exactly one branch.
 */
export async function outboxStats(database: OutboxDatabase): Promise<OutboxStats> {
  const m = database.names.messages
  const [row] = await database.run(sql<{ pending: string; oldest_seconds: number }>`
    SELECT coalesce(sum(part.pending), 0)::text AS pending,
           greatest(0, coalesce(extract(epoch FROM now() - min(part.oldest)), 0)) AS oldest_seconds
      FROM (
        SELECT count(*) AS pending, min(m.created_at) AS oldest FROM ${m} AS m
         WHERE m.delivered_at IS NULL AND m.key IS NULL AND NOT m.last_attempt
        UNION ALL
        SELECT count(*), min(m.created_at) FROM ${m} AS m WHERE m.delivered_at IS NULL AND m.key IS NOT NULL
        UNION ALL
        SELECT count(*), min(m.created_at) FROM ${m} AS m
         WHERE m.delivered_at IS NULL AND m.last_attempt AND m.key IS NULL
      ) AS part`)
  return { pending: Number(row?.pending ?? 0), oldestSeconds: row?.oldest_seconds ?? 0 }
}
