// The documents that create and change schedules: the bodies of the requests of /schedules, and a file of `queue schedules sync`.
import { z } from 'zod'
import { jobFields } from '../domain/job.ts'
import type { JobDefinition } from '../domain/job-definition.ts'
import * as limits from '../domain/limits.ts'
import { decodeMembers, optionMembers } from '../domain/option-members.ts'
import { anyJson, instantInput } from '../domain/wire-values.ts'
import {
  type NewSchedule,
  type ScheduledJobOptions,
  type ScheduledWork,
  scheduleFields,
  type ScheduleTimingOptions,
} from './definition.ts'
import type { Schedule } from './schedule-row.ts'

const instant = (description: string) =>
  instantInput
    .nullable()
    .optional()
    .meta({ type: ['string', 'null'], format: 'date-time', description })

/** The timing of a schedule, as a client sends it. Null removes a value. */
const timingFields = {
  cron: scheduleFields.cron
    .nullable()
    .optional()
    .meta({
      description:
        'Cron expression with five fields (minute, hour, day of month, month, day of week), or with seconds as the first ' +
        'of six. Cannot be combined with every_ms.',
    }),
  time_zone: scheduleFields.timeZone.optional().meta({
    description: 'IANA time zone of the cron expression, such as Europe/Berlin. Defaults to UTC.',
  }),
  every_ms: scheduleFields.everyMs
    .nullable()
    .optional()
    .meta({
      description:
        'Interval between two runs in milliseconds, counted from starts_at, or from 1970 if that is absent. Cannot be ' +
        'combined with cron.',
    }),
  starts_at: instant('No run before this time.'),
  ends_at: instant('No run at or after this time.'),
  jitter_ms: scheduleFields.jitterMs.optional().meta({
    description:
      'Maximum delay of each run in milliseconds. The delay of a run time is always the same. Defaults to 0.',
  }),
  missed: scheduleFields.missed.optional().meta({
    description:
      'What happens to missed runs. `skip`: none is made up for. `once` (default): one run makes up for all. `all`: ' +
      'each is made up for.',
  }),
  missed_window_ms: scheduleFields.missedWindowMs
    .nullable()
    .optional()
    .meta({
      description:
        'Maximum lateness of a run in milliseconds. Defaults to 60 000 with `skip`, to a day with `all`, and to no ' +
        'maximum with `once`.',
    }),
  overlap: scheduleFields.overlap.optional().meta({
    description:
      'Whether a run can start while the job of the previous run has not ended. `allow` (default): yes. `skip`: the ' +
      'run is skipped.',
  }),
}

export const scheduleTimingSchema = z.strictObject(timingFields).meta({
  id: 'ScheduleTiming',
  description: 'The timing of a schedule: a cron expression or an interval, and its options.',
})

/** The request that creates a schedule. */
export const createScheduleSchema = z
  .strictObject({
    name: scheduleFields.name.meta({ description: 'Name of the schedule.' }),
    kind: jobFields.kind.meta({ description: 'Kind of the jobs. The server must know it.' }),
    payload: anyJson.meta({
      description: `Payload of the jobs, up to ${limits.schedulePayloadBytesMax} bytes.`,
    }),
    ...optionMembers('schedule'),
    ...timingFields,
  })
  .meta({ id: 'CreateSchedule' })

export type CreateScheduleDocument = z.output<typeof createScheduleSchema>

/** The request that updates a schedule. Absent members stay as they are. */
export const updateScheduleSchema = z
  .strictObject({
    kind: jobFields.kind
      .optional()
      .meta({ description: 'New kind of the jobs. By default, it does not change.' }),
    payload: z
      .unknown()
      .optional()
      .meta({ description: 'New payload of the jobs. By default, it does not change.' }),
    ...optionMembers('schedule'),
    ...timingFields,
  })
  .meta({ id: 'UpdateSchedule', description: 'The members of a schedule to change.' })

export type UpdateScheduleDocument = z.output<typeof updateScheduleSchema>

/** The request that syncs the schedules of a source. */
export const syncSchedulesSchema = z
  .strictObject({
    source: scheduleFields.source.meta({
      description: 'Source of the schedules. A sync changes only the schedules of its source.',
    }),
    revision: scheduleFields.revision.meta({
      description:
        'Revision of the source. Increase it with each release: a sync with a lower revision changes nothing.',
    }),
    prune: z.boolean().optional().meta({
      description:
        'Whether to delete the schedules of the source that are not in the list. Defaults to false.',
    }),
    schedules: z
      .array(createScheduleSchema)
      .max(limits.scheduleSyncMax)
      .meta({ description: `All schedules of the source, up to ${limits.scheduleSyncMax}.` }),
  })
  .meta({ id: 'SyncSchedules', description: 'All schedules of a source.' })

export function decodeTiming(timing: z.output<typeof scheduleTimingSchema>): ScheduleTimingOptions {
  return {
    cron: timing.cron,
    timeZone: timing.time_zone,
    everyMs: timing.every_ms,
    startsAt: timing.starts_at,
    endsAt: timing.ends_at,
    jitterMs: timing.jitter_ms,
    missed: timing.missed,
    missedWindowMs: timing.missed_window_ms,
    overlap: timing.overlap,
  }
}

/** Finds the definition of a kind, or throws. */
type FindDefinition = (kind: string) => Promise<Pick<JobDefinition, 'create'>>

/** The schedule that a document creates. */
export async function decodeNewSchedule(
  document: CreateScheduleDocument,
  find: FindDefinition,
): Promise<NewSchedule> {
  return {
    name: document.name,
    definition: await find(document.kind),
    payload: document.payload,
    options: decodeMembers<'schedule'>(document),
    ...decodeTiming(document),
  }
}

/** The job definition and options of a schedule after an update; empty if the update changes only the timing. */
export async function changedWork(
  document: UpdateScheduleDocument,
  current: Schedule,
  find: FindDefinition,
): Promise<Partial<ScheduledWork>> {
  const sentOptions = decodeMembers<'schedule'>(document)
  const isSameWork = document.kind === undefined && document.payload === undefined
  if (isSameWork && Object.keys(sentOptions).length === 0) return {}
  return {
    definition: await find(document.kind ?? current.kind),
    payload: document.payload === undefined ? current.payload : document.payload,
    options: {
      ...keptOptions(current),
      ...keptWithPayload(document, current),
      ...sentOptions,
    },
  }
}

/** A new payload gets its version and key as in a new schedule. Otherwise both stay. */
function keptWithPayload({ kind, payload }: UpdateScheduleDocument, { kindVersion, options }: Schedule) {
  if (kind !== undefined || payload !== undefined) return {}
  return { version: kindVersion, ...(options.key !== null && { key: options.key }) }
}

/** The current options except the key. Null means that the worker decides, which an absent option says. */
function keptOptions({ options: current }: Schedule): ScheduledJobOptions {
  const { key: _, unique, ...options } = current
  const kept = Object.entries(options).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(kept), ...(unique !== null && { unique: uniqueOptionsOf(unique) }) }
}

function uniqueOptionsOf({ windowMs, maxWaitMs, ...unique }: NonNullable<Schedule['options']['unique']>) {
  return {
    ...unique,
    ...(windowMs !== null && { windowMs }),
    ...(maxWaitMs !== null && { maxWaitMs }),
  }
}
