// Pauses and resumes a schedule. Called by every caller who may control schedules.
import { type RawBuilder, sql } from 'kysely'
import type { ActDatabase } from '../audit/perform.ts'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { lockSchedule } from './read-schedules.ts'
import { decodeSchedule, noTenant, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { instantsOf } from './timing.ts'
import { baseMs } from './update-schedule.ts'
import { assignments, dueColumns } from './write-schedule.ts'

/**
 * Pauses a schedule; a paused one stays as it is. Once this has returned, it enqueues nothing: the lock waits for a
 * firing that holds the row, and later firings see the pause. Throws `schedule_not_found`.
 */
export function pauseSchedule(database: ActDatabase, name: string): Promise<Acted<Schedule>> {
  return database.transaction(async (inside) => {
    const current = decodeSchedule(await lockSchedule(inside, name))
    if (current.pausedAt !== null) return { result: current, changed: false }
    const result = await writeSchedule(inside, name, sql`paused_at = clock_timestamp()`)
    return { result, changed: true }
  })
}

/** Resumes a paused schedule from now: runs during the pause are not made up for. Throws `schedule_not_found`. */
export function resumeSchedule(database: ActDatabase, name: string): Promise<Acted<Schedule>> {
  return database.transaction(async (inside) => {
    const row = await lockSchedule(inside, name)
    const current = decodeSchedule(row)
    if (current.pausedAt === null) return { result: current, changed: false }
    const due = dueColumns({ ...current, nextMs: instantsOf(current).next(baseMs(row)) })
    const resumed = sql`${assignments(due)}, paused_at = NULL, paused_reason = NULL`
    return { result: await writeSchedule(inside, name, resumed), changed: true }
  })
}

/** Writes a locked schedule. */
async function writeSchedule(
  database: QueueDatabase,
  name: string,
  assigned: RawBuilder<unknown>,
): Promise<Schedule> {
  const { schedules } = scheduleTables(database)
  const [row] = await database.run(sql<ScheduleRow>`
    UPDATE ${schedules} AS s SET ${assigned}
     WHERE s.tenant_id = ${noTenant} AND s.name = ${name} RETURNING ${scheduleColumns}`)
  return decodeSchedule(row as ScheduleRow)
}
