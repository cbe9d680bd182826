// (nothing) → a schedule. Called by whoever may write schedules.
import type { z } from 'zod'
import { sql } from 'kysely'
import { readDatabaseNow } from '../database/id-mint.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { changedRules, checkedName, firstInstant, type NewSchedule, requestOf } from './definition.ts'
import { decodeSchedule, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { type WantedSchedule, writtenColumns } from './write-schedule.ts'

/** Writes a new schedule. Throws `invalid_schedule`, and `schedule_exists` where one has its name. */
export async function createSchedule<Kind extends string, Payload extends z.ZodType>(
  database: QueueDatabase,
  given: NewSchedule<Kind, Payload>,
): Promise<Schedule> {
  const { name, definition, payload, options, ...timing } = given
  const checked = {
    name: checkedName(name),
    rules: changedRules(timing),
    request: requestOf({ definition, payload, ...(options && { options }) }),
  }
  const nextMs = firstInstant(checked.rules, await readDatabaseNow(database))
  const written = await insertSchedule(database, { ...checked, source: '', revision: 0, nextMs })
  if (written === undefined) {
    throw new QueueError('schedule_exists', `there is a schedule ${JSON.stringify(name)} already: update it`)
  }
  return written
}

/** Undefined where a schedule has the name. */
export async function insertSchedule(
  database: QueueDatabase,
  wanted: WantedSchedule,
): Promise<Schedule | undefined> {
  const columns = writtenColumns(wanted)
  const names = sql.join(Object.keys(columns).map((name) => sql.id(name)))
  const [row] = await database.run(sql<ScheduleRow>`
    INSERT INTO ${scheduleTables(database).schedules} AS s (${names}) VALUES (${sql.join(Object.values(columns))})
    ON CONFLICT DO NOTHING RETURNING ${scheduleColumns}`)
  return row && decodeSchedule(row)
}
