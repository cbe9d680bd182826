import type { QueueDatabase } from '../database/connect.ts'
import { readDatabaseNow } from '../database/id-mint.ts'
import { schedulePreviewMax } from '../domain/limits.ts'
import { changedRules, firstInstant, type ScheduleTimingOptions } from './definition.ts'
import { describeTiming } from './describe-timing.ts'
import { getSchedule, scheduleNotFound } from './read-schedules.ts'
import { instantsAfter, type Timing } from './timing.ts'

/** When a schedule would fire. */
export interface SchedulePreview {
  /** A description of the timing. */
  readonly description: string
  /** The next instants without jitter, at most `schedulePreviewMax`. */
  readonly instants: readonly Date[]
}

/**
 * When a schedule fires from now on: the schedule of this name, paused or not, or one with this timing. Throws
 * `schedule_not_found` and `invalid_schedule`.
 */
export async function previewSchedule(
  database: QueueDatabase,
  nameOrTiming: string | ScheduleTimingOptions,
): Promise<SchedulePreview> {
  const nowMs = await readDatabaseNow(database)
  if (typeof nameOrTiming === 'string') {
    const schedule = await getSchedule(database, nameOrTiming)
    if (schedule === undefined) throw scheduleNotFound(nameOrTiming)
    return previewAfter(schedule, nowMs)
  }
  const rules = changedRules(nameOrTiming)
  firstInstant(rules, nowMs)
  return previewAfter(rules, nowMs)
}

function previewAfter(timing: Timing, nowMs: number): SchedulePreview {
  const instants = instantsAfter(timing, nowMs, schedulePreviewMax)
  return { description: describeTiming(timing), instants: instants.map((ms) => new Date(ms)) }
}
