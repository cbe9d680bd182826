// Pauses and resumes a schedule. Called by every caller who may control schedules.
import { sql } from 'kysely'
import type { ActDatabase } from '../acts.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { isScheduleName } from './definition.ts'
import { lockSchedule, scheduleNotFound } from './read-schedules.ts'
import { decodeSchedule, noTenant, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { instantsOf } from './timing.ts'
import { baseMs } from './update-schedule.ts'
import { assignments, dueColumns } from './write-schedule.ts'

/**
 * Pauses a schedule; a paused one stays as it is. Once this has returned, it enqueues nothing: the write waits for a
 * firing that holds the row, and later firings see it. Throws `schedule_not_found`.
 */
export async function pauseSchedule(database: QueueDatabase, name: string): Promise<Schedule> {
  const { schedules } = scheduleTables(database)
  const [row] = isScheduleName(name)
    ? await database.run(sql<ScheduleRow>`
    UPDATE ${schedules} AS s SET paused_at = coalesce(s.paused_at, clock_timestamp())
     WHERE s.tenant_id = ${noTenant} AND s.name = ${name} RETURNING ${scheduleColumns}`)
    : []
  if (row === undefined) throw scheduleNotFound(name)
  return decodeSchedule(row)
}

/** Resumes a paused schedule from now: runs during the pause are not made up for. Throws `schedule_not_found`. */
export function resumeSchedule(database: ActDatabase, name: string): Promise<Schedule> {
  return database.transaction(async (inside) => {
    const row = await lockSchedule(inside, name)
    const current = decodeSchedule(row)
    if (current.pausedAt === null) return current
    const due = dueColumns({ ...current, nextMs: instantsOf(current).next(baseMs(row)) })
    const { schedules } = scheduleTables(inside)
    const [resumed] = await inside.run(sql<ScheduleRow>`
      UPDATE ${schedules} AS s SET ${assignments(due)}, paused_at = NULL, paused_reason = NULL
       WHERE s.tenant_id = ${noTenant} AND s.name = ${name} RETURNING ${scheduleColumns}`)
    return decodeSchedule(resumed as ScheduleRow)
  })
}
