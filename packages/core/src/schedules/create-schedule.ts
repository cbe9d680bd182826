// (nothing) → a schedule. Called by every caller who may write schedules.
import type { z } from 'zod'
import { sql } from 'kysely'
import { readDatabaseNow } from '../database/id-mint.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { changedRules, checkedName, firstInstant, type NewSchedule, requestOf } from './definition.ts'
import { decodeSchedule, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { type ScheduleWrite, writtenColumns } from './write-schedule.ts'

/** Writes a new schedule. Throws `invalid_schedule`, and `schedule_exists` where the name is taken. */
export async function createSchedule<Kind extends string, Payload extends z.ZodType>(
  database: QueueDatabase,
  schedule: NewSchedule<Kind, Payload>,
): Promise<Schedule> {
  const { name, definition, payload, options, ...timing } = schedule
  const checked = {
    name: checkedName(name),
    rules: changedRules(timing),
    request: requestOf({ definition, payload, ...(options && { options }) }),
  }
  const nextMs = firstInstant(checked.rules, await readDatabaseNow(database))
  const created = await insertSchedule(database, { ...checked, source: '', revision: 0, nextMs })
  if (created === undefined) {
    throw new QueueError(
      'schedule_exists',
      `there is a schedule ${JSON.stringify(name)} already: update it, or use another name`,
    )
  }
  return created
}

/** Inserts a schedule. Undefined where another schedule has the name. */
export async function insertSchedule(
  database: QueueDatabase,
  write: ScheduleWrite,
): Promise<Schedule | undefined> {
  const columns = writtenColumns(write)
  const names = sql.join(Object.keys(columns).map((name) => sql.id(name)))
  const [row] = await database.run(sql<ScheduleRow>`
    INSERT INTO ${scheduleTables(database).schedules} AS s (${names}) VALUES (${sql.join(Object.values(columns))})
    ON CONFLICT DO NOTHING RETURNING ${scheduleColumns}`)
  return row && decodeSchedule(row)
}
