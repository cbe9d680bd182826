// A schedule → another one of its name. Called by whoever may write schedules.
import { sql } from 'kysely'
import type { ActDatabase } from '../acts.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { canonicalJson } from '../domain/json.ts'
import {
  changedRules,
  firstInstant,
  requestOf,
  type ScheduleChanges,
  type ScheduleRules,
} from './definition.ts'
import { jobOf } from './job-of-schedule.ts'
import { lockSchedule } from './read-schedules.ts'
import { decodeSchedule, noTenant, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { assignments, type WantedSchedule, writtenColumns } from './write-schedule.ts'

/**
 * Changes a schedule. Where that changes when it is due, it starts anew from now: an instant that was due and had not fired is
 * dropped. Otherwise the next instant stays, and fires with what was changed. Where it had paused itself, it goes on. Throws
 * `schedule_not_found` and `invalid_schedule`.
 */
export function updateSchedule(
  database: ActDatabase,
  name: string,
  changes: ScheduleChanges,
): Promise<Schedule> {
  return database.transaction(async (inside) => {
    const row = await lockSchedule(inside, name)
    const current = decodeSchedule(row)
    const { definition, payload, options, ...timing } = changes
    const rules = changedRules(timing, rulesOf(current))
    const request =
      definition === undefined
        ? jobOf(current, null)
        : requestOf({ definition, payload, ...(options && { options }) })
    return replaceSchedule(inside, { row, current }, { ...current, rules, request })
  })
}

/** The rules among all that a schedule has. */
function rulesOf(schedule: ScheduleRules): ScheduleRules {
  const { cron, timeZone, everyMs, startsAt, endsAt, jitterMs, missed, missedWindowMs, overlap } = schedule
  return { cron, timeZone, everyMs, startsAt, endsAt, jitterMs, missed, missedWindowMs, overlap }
}

interface Locked {
  readonly row: ScheduleRow
  readonly current: Schedule
}

/** Writes the locked schedule anew. */
export async function replaceSchedule(
  database: QueueDatabase,
  locked: Locked,
  wanted: Omit<WantedSchedule, 'nextMs'>,
): Promise<Schedule> {
  const columns = writtenColumns({ ...wanted, nextMs: nextAfterChange(locked, wanted) })
  const { schedules } = scheduleTables(database)
  const [row] = await database.run(sql<ScheduleRow>`
    UPDATE ${schedules} AS s
       SET ${assignments(columns)}, updated_at = statement_timestamp(), paused_reason = NULL,
           paused_at = CASE WHEN s.paused_reason IS NULL THEN s.paused_at END
     WHERE s.tenant_id = ${noTenant} AND s.name = ${wanted.name} RETURNING ${scheduleColumns}`)
  return decodeSchedule(row as ScheduleRow)
}

function nextAfterChange(
  { row, current }: Locked,
  { rules }: { readonly rules: ScheduleRules },
): number | null {
  const anew = firstInstant(rules, baseMs(row))
  const goesOn = row.paused_reason === null && timingText(rules) === timingText(current)
  return goesOn ? row.next_run_ms : anew
}

/** From when on a schedule counts that starts anew. Never before its last run, should the clock have been set back. */
export function baseMs({ now_ms: nowMs, last_run_ms: lastRunMs }: ScheduleRow): number {
  return Math.max(nowMs, lastRunMs ?? 0)
}

/** When a schedule is due, as a text that can be compared. */
function timingText({ cron, timeZone, everyMs, startsAt, endsAt }: ScheduleRules): string {
  return JSON.stringify([cron, timeZone, everyMs, startsAt, endsAt])
}

/** Whether the schedule is what is wanted already. */
export function isSame(current: Schedule, request: JobRequest, rules: ScheduleRules): boolean {
  return JSON.stringify(rulesOf(current)) === JSON.stringify(rules) && sameWork(jobOf(current, null), request)
}

function sameWork(a: JobRequest, b: JobRequest): boolean {
  const text = ({
    kind,
    kindVersion,
    queue,
    priority,
    maxAttempts,
    timeoutMs,
    retryPolicy,
    key,
  }: JobRequest) =>
    JSON.stringify([kind, kindVersion, queue, priority, maxAttempts, timeoutMs, retryPolicy, key])
  return text(a) === text(b) && canonicalJson(a.payload) === canonicalJson(b.payload)
}
