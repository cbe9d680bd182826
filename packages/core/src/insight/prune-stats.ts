// Removes statistics past their retention. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { statsHoursKeptMs, statsMinutesKeptMs, statsPruneBatchMax } from '../domain/limits.ts'

/**
 * Deletes up to `statsPruneBatchMax` rows of minutes, and as many of hours, that are past their retention. Returns
 * their number.
 */
export async function pruneStats(database: QueueDatabase): Promise<number> {
  const { names } = database
  const past = (period: string, keptMs: number) => sql`SELECT s.ctid FROM ${names.stats} AS s
           WHERE s.period = ${sql.lit(period)} AND s.at < now() - ${sql.lit(keptMs)}::float8 * interval '1 millisecond'
           ORDER BY s.at LIMIT ${sql.lit(statsPruneBatchMax)}`
  const [row] = await database.run(sql<{ pruned: number }>`
    WITH gone AS (
      DELETE FROM ${names.stats} AS s
       WHERE s.ctid = ANY(ARRAY((${past('minute', statsMinutesKeptMs)}) UNION ALL (${past('hour', statsHoursKeptMs)})))
      RETURNING 1
    )
    SELECT count(*)::int AS pruned FROM gone`)
  return row?.pruned ?? 0
}
