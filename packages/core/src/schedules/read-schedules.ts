import { sql } from 'kysely'
import { z } from 'zod'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '../database/cursor.ts'
import { QueueError } from '../domain/errors.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { listLimitDefault, listLimitMax, nameLengthMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { isScheduleName, scheduleFields } from './definition.ts'
import { decodeSchedule, noTenant, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'

/** The schedule; undefined when there is none. */
export async function getSchedule(database: QueueDatabase, name: string): Promise<Schedule | undefined> {
  if (!isScheduleName(name)) return undefined
  const { schedules } = scheduleTables(database)
  const [row] = await database.run(sql<ScheduleRow>`
    SELECT ${scheduleColumns} FROM ${schedules} AS s WHERE s.tenant_id = ${noTenant} AND s.name = ${name}`)
  return row && decodeSchedule(row)
}

/** The row of a schedule, locked until the transaction ends. Throws `schedule_not_found`. */
export async function lockSchedule(database: QueueDatabase, name: string): Promise<ScheduleRow> {
  const [row] = isScheduleName(name) ? await lockSchedules(database, [name]) : []
  if (row === undefined) throw scheduleNotFound(name)
  return row
}

/**
 * The rows of the schedules with these names that exist, locked in the order of the names. The clock in a row is read
 * once the row is locked: a SELECT that locks would read it before it waits.
 */
export function lockSchedules(database: QueueDatabase, names: readonly string[]): Promise<ScheduleRow[]> {
  return database.run(sql<ScheduleRow>`
    WITH locked AS MATERIALIZED (
      SELECT * FROM ${scheduleTables(database).schedules} AS s
       WHERE s.tenant_id = ${noTenant} AND s.name = ANY(${names}::text[]) ORDER BY s.name FOR UPDATE
    )
    SELECT ${scheduleColumns} FROM locked AS s ORDER BY s.name`)
}

export function scheduleNotFound(name: string): QueueError {
  return new QueueError(
    'schedule_not_found',
    `there is no schedule ${JSON.stringify(name.slice(0, nameLengthMax))}`,
  )
}

/** One page of schedules. */
export interface SchedulePage {
  /** By name, in the database's order. */
  readonly schedules: readonly Schedule[]
  /** Where the next page begins; null when there is none. */
  readonly nextCursor: string | null
}

const filterFields = {
  /** Schedules of this source. */
  source: scheduleFields.source.optional(),
  /** Schedules of this kind. */
  kind: scheduleFields.name.optional(),
  /** The most schedules on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the first name. */
  cursor: z.string().optional(),
}
const filterSchema = z.strictObject(filterFields)

/** Selects a page of schedules. */
export type ScheduleFilter = OptionsOf<typeof filterFields>

/**
 * One page of schedules. Throws `invalid_options` for an invalid filter and `invalid_cursor` for a cursor that no list
 * has returned.
 */
export async function listSchedules(
  database: QueueDatabase,
  filter: ScheduleFilter = {},
): Promise<SchedulePage> {
  const {
    source,
    kind,
    limit = listLimitDefault,
    cursor,
  } = parseOrThrow(filterSchema, filter, 'invalid_options')
  const after = cursor === undefined ? '' : nameOf(cursor)
  const { schedules } = scheduleTables(database)
  const rows = await database.run(sql<ScheduleRow>`
    SELECT ${scheduleColumns} FROM ${schedules} AS s
     WHERE s.tenant_id = ${noTenant} AND s.name > ${after}
       ${source === undefined ? sql`` : sql`AND s.source = ${source}`}
       ${kind === undefined ? sql`` : sql`AND s.kind = ${kind}`}
     ORDER BY s.name LIMIT ${sql.lit(limit + 1)}`)
  const page = rows.slice(0, limit).map(decodeSchedule)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { schedules: page, nextCursor: last === undefined ? null : encodeCursor('schedules', last.name) }
}

function nameOf(cursor: string): string {
  const name = decodeCursor('schedules', cursor)
  if (isScheduleName(name)) return name
  throw invalidCursor()
}
