import { type ScheduleTimingOptions, limits } from '@queue/core'
import { jobFields, scheduleFields } from '@queue/core/internal'
import { z } from 'zod'
import { optionMembers } from '../../wire/job-options.ts'
import { anyJson, instantInput } from '../../wire/values.ts'

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

export type CreateSchedule = z.output<typeof createScheduleSchema>

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

export type UpdateSchedule = z.output<typeof updateScheduleSchema>

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

/** The example of a request. */
export const createScheduleExample: CreateSchedule = {
  name: 'nightly-report',
  kind: 'send_email',
  payload: { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' },
  cron: '0 2 * * 1-5',
  time_zone: 'Europe/Berlin',
  overlap: 'skip',
}
