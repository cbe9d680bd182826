// A schedule → (nothing). Its jobs stay. Called by every caller who may write schedules.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { isScheduleName } from './definition.ts'
import { scheduleNotFound } from './read-schedules.ts'
import { noTenant, scheduleTables } from './schedule-row.ts'

/** Deletes a schedule. Once this has returned, it enqueues nothing. Throws `schedule_not_found`. */
export async function deleteSchedule(database: QueueDatabase, name: string): Promise<void> {
  const deleted = isScheduleName(name)
    ? await database.run(sql<{ name: string }>`
    DELETE FROM ${scheduleTables(database).schedules} AS s
     WHERE s.tenant_id = ${noTenant} AND s.name = ${name} RETURNING s.name`)
    : []
  if (deleted.length === 0) throw scheduleNotFound(name)
}
