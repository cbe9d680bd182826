import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { scheduleTables } from './schedule-row.ts'

/** Milliseconds until the next schedule is due, negative where one is late; null where none will ever be due. */
export async function nextDueMs(database: QueueDatabase): Promise<number | null> {
  const { schedules } = scheduleTables(database)
  const [row] = await database.run(
    sql<{ due_ms: number | null }>`
      SELECT ${epochMs(sql`min(s.due_at)`)} - ${epochMs(sql`clock_timestamp()`)} AS due_ms
        FROM ${schedules} AS s WHERE s.paused_at IS NULL`,
    'frequent',
  )
  return row?.due_ms ?? null
}
