// A schedule → the same schedule, changed. Called by every caller who may write schedules.
import { sql } from 'kysely'
import type { ActDatabase } from '../audit/perform.ts'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { canonicalJson } from '../domain/json.ts'
import { mergedPointers } from '../domain/sensitive.ts'
import {
  assertNoOvertaking,
  changedRules,
  changedWorkOf,
  firstInstant,
  requestOf,
  type ScheduleChanges,
  type ScheduleRules,
} from './definition.ts'
import { jobOf } from './job-of-schedule.ts'
import { lockSchedule } from './read-schedules.ts'
import { decodeSchedule, optionsText, noTenant, type Schedule, type ScheduleRow } from './schedule-row.ts'
import { scheduleColumns, scheduleTables } from './schedule-row.ts'
import { assignments, type ScheduleWrite, writtenColumns } from './write-schedule.ts'

/**
 * The changes of a schedule, from the schedule as it is once it is locked. It must answer from memory: the lock and a
 * connection are held until it has, and a pool whose connections all wait for another one never goes on.
 */
export type ScheduleChangesOf = (current: Schedule) => ScheduleChanges | Promise<ScheduleChanges>

/**
 * Changes a schedule. If that changes when it is due, it starts again from now: a due instant that has not fired is
 * dropped. Otherwise the next instant stays, and fires with the changes. A schedule that paused itself is resumed. One
 * that has these members already stays as it is.
 * Throws `schedule_not_found` and `invalid_schedule`.
 */
export function updateSchedule(
  database: ActDatabase,
  name: string,
  changes: ScheduleChanges | ScheduleChangesOf,
): Promise<Acted<Schedule>> {
  return database.transaction(async (inside) => {
    const row = await lockSchedule(inside, name)
    const current = decodeSchedule(row)
    const { definition, payload, options, ...timing } =
      typeof changes === 'function' ? await changes(current) : changes
    const rules = changedRules(timing, rulesOf(current))
    const work = changedWorkOf({ definition, payload, options })
    const request = work === undefined ? jobOf(current, null) : hidingAsBefore(requestOf(work), current)
    const isKept = row.paused_reason === null && isSame(current, request, rules)
    if (isKept) return { result: current, changed: false }
    const result = await replaceSchedule(inside, { row, current }, { ...current, rules, request })
    return { result, changed: true }
  })
}

/** The request, which hides what the schedule hid before too: its payload may be the one that the caller may not read. */
function hidingAsBefore(request: JobRequest, { sensitive, openResults }: Schedule): JobRequest {
  return {
    ...request,
    sensitive: mergedPointers(sensitive, request.sensitive),
    openResults: openResults && request.openResults,
  }
}

/** The rules of a schedule, without its other members. */
function rulesOf(schedule: ScheduleRules): ScheduleRules {
  const { cron, timeZone, everyMs, startsAt, endsAt, jitterMs, missed, missedWindowMs, overlap } = schedule
  return { cron, timeZone, everyMs, startsAt, endsAt, jitterMs, missed, missedWindowMs, overlap }
}

interface LockedSchedule {
  readonly row: ScheduleRow
  readonly current: Schedule
}

/** Overwrites a locked schedule. */
export async function replaceSchedule(
  database: QueueDatabase,
  locked: LockedSchedule,
  write: Omit<ScheduleWrite, 'nextMs'>,
): Promise<Schedule> {
  const columns = writtenColumns({ ...write, nextMs: nextAfterChange(locked, write) })
  const { schedules } = scheduleTables(database)
  const [row] = await database.run(sql<ScheduleRow>`
    UPDATE ${schedules} AS s
       SET ${assignments(columns)}, updated_at = statement_timestamp(), paused_reason = NULL,
           paused_at = CASE WHEN s.paused_reason IS NULL THEN s.paused_at END
     WHERE s.tenant_id = ${noTenant} AND s.name = ${write.name} RETURNING ${scheduleColumns}`)
  return decodeSchedule(row as ScheduleRow)
}

function nextAfterChange(
  { row, current }: LockedSchedule,
  { rules }: { readonly rules: ScheduleRules },
): number | null {
  const { next_run_ms: nextMs, paused_reason: pausedReason } = row
  const keepsInstant = nextMs !== null && pausedReason === null && timingText(rules) === timingText(current)
  if (!keepsInstant) return firstInstant(rules, baseMs(row))
  // It can be the last one, and due after the end of the schedule.
  assertNoOvertaking(rules, nextMs)
  return nextMs
}

/** The instant from which a restarted schedule counts. Never before its last run, in case the clock was set back. */
export function baseMs({ now_ms: nowMs, last_run_ms: lastRunMs }: ScheduleRow): number {
  return Math.max(nowMs, lastRunMs ?? 0)
}

/** The timing of a schedule as a text, for comparison. */
function timingText({ cron, timeZone, everyMs, startsAt, endsAt }: ScheduleRules): string {
  return JSON.stringify([cron, timeZone, everyMs, startsAt, endsAt])
}

/** Whether the schedule already has these rules and this work. */
export function isSame(current: Schedule, request: JobRequest, rules: ScheduleRules): boolean {
  return JSON.stringify(rulesOf(current)) === JSON.stringify(rules) && sameWork(jobOf(current, null), request)
}

/** Compares the options in the form in which they are stored, so that no option is left out. */
function sameWork(a: JobRequest, b: JobRequest): boolean {
  const text = (request: JobRequest): string =>
    canonicalJson([request.kind, request.payload, JSON.parse(optionsText(request))])
  return text(a) === text(b)
}
