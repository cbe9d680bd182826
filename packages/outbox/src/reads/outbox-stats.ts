import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'

export interface OutboxStats {
  /** Messages that are not delivered, those that are held now included. */
  readonly pending: number
  /** Seconds since the oldest of them was published; 0 when there is none. */
  readonly oldestSeconds: number
}

/**
 * What waits in the outbox. It reads the indexes over undelivered messages, and nothing of what was delivered: each
 * undelivered message is in exactly one branch.
 */
export async function outboxStats(database: OutboxDatabase): Promise<OutboxStats> {
  const m = database.names.messages
  const [row] = await database.run(sql<{ pending: string; oldest_seconds: number }>`
    SELECT coalesce(sum(part.pending), 0)::text AS pending,
           greatest(0, coalesce(date_part('epoch', now() - min(part.oldest)), 0))::float8 AS oldest_seconds
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
