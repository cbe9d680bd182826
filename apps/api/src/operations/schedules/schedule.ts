import { type Schedule, type SchedulePreview, limits } from '@queue/core'
import { anyJson, instantOutput, jobFields, optionsIn, scheduleFields } from '@queue/core/internal'
import { type SnakeCase, toSnakeCase } from '@queue/core/plain'
import { z } from 'zod'
import { type JobView, shownPayload } from '../../kinds/job-view.ts'
import { encoderOf } from '../../wire/encode-members.ts'
import { scheduleUniqueSchema } from '../../wire/unique.ts'
import { type WireJob, jobExample, jobSchema } from '../reads/job.ts'

const names = (description: string) => z.array(scheduleFields.name).meta({ description })

export const syncReportSchema = z
  .object({
    outcome: z.enum(['synced', 'outdated']).meta({
      description:
        '`synced`: the schedules match the list. `outdated`: the current revision is higher, and nothing was changed.',
    }),
    revision: scheduleFields.revision.meta({ description: 'Current revision of the source.' }),
    created: names('Names of the created schedules.'),
    updated: names('Names of the updated schedules.'),
    unchanged: names('Names of the schedules that already matched.'),
    deleted: names('Names of the deleted schedules.'),
  })
  .meta({ id: 'ScheduleSyncReport', description: 'The outcome of a sync.' })

const count = (description: string) => z.int().min(0).meta({ description })
const instantOrNull = (description: string) => instantOutput.nullable().meta({ description })

/** The options of the jobs whose descriptions differ from those of a job. */
const ownOptions = {
  queue: jobFields.queue.meta({ description: 'Queue of the jobs.' }),
  priority: jobFields.priority.meta({ description: 'Priority of the jobs. Lower numbers start first.' }),
  max_attempts: jobFields.maxAttempts.meta({ description: 'Maximum number of attempts of each job.' }),
  expires_in_ms: jobFields.expiresInMs.nullable().meta({
    description: 'Expiry of each job, in milliseconds from its enqueue. Null if jobs do not expire.',
  }),
  unique: scheduleUniqueSchema,
}

type OptionMember = SnakeCase<keyof Schedule['options']>

/** The version belongs to the payload. */
const optionNames = optionsIn('schedule').filter((name) => name !== 'version')

const optionMembers = Object.fromEntries(
  optionNames.map((name) => [toSnakeCase(name), { ...jobSchema.shape, ...ownOptions }[toSnakeCase(name)]]),
) as Pick<Omit<typeof jobSchema.shape, keyof typeof ownOptions> & typeof ownOptions, OptionMember>

/** A schedule as the API shows it. */
export const scheduleSchema = z
  .object({
    name: scheduleFields.name.meta({ description: 'Name of the schedule.' }),
    source: z
      .string()
      .meta({ description: 'Source that syncs the schedule. Empty if it was created directly.' }),
    revision: scheduleFields.revision.meta({ description: 'Revision of the sync that wrote the schedule.' }),
    kind: jobFields.kind.meta({ description: 'Kind of the jobs.' }),
    kind_version: jobFields.kindVersion.meta({ description: 'Kind version of the payload.' }),
    payload: anyJson.meta({
      description:
        'Payload of the jobs. Callers without payload:read see `***` in place of sensitive values.',
    }),
    ...optionMembers,
    description: z.string().meta({ description: 'The timing in words.' }),
    cron: z.string().nullable().meta({ description: 'Cron expression. Null for an interval.' }),
    time_zone: z.string().meta({ description: 'IANA time zone of the cron expression.' }),
    every_ms: scheduleFields.everyMs.nullable().meta({
      description: 'Interval between two runs in milliseconds. Null for a cron expression.',
    }),
    starts_at: instantOrNull('No run before this time.'),
    ends_at: instantOrNull('No run at or after this time.'),
    jitter_ms: scheduleFields.jitterMs.meta({ description: 'Maximum delay of each run in milliseconds.' }),
    missed: scheduleFields.missed.meta({ description: 'What happens to missed runs.' }),
    missed_window_ms: scheduleFields.missedWindowMs.nullable().meta({
      description: 'Maximum lateness of a run in milliseconds. Null uses the default of `missed`.',
    }),
    overlap: scheduleFields.overlap.meta({
      description: 'Whether a run can start while the job of the previous run has not ended.',
    }),
    sensitive: jobSchema.shape.sensitive,
    open_results: jobSchema.shape.open_results,
    paused_at: instantOrNull('Time since when the schedule is paused. Null if it is not.'),
    paused_reason: z.string().nullable().meta({
      description: 'Why the schedule paused itself. Null if a caller paused it.',
    }),
    next_run_at: instantOrNull('Time of the next run, without jitter. Null if there is none.'),
    last_run_at: instantOrNull('Time of the last run that enqueued a job.'),
    last_job_id: z.uuid().nullable().meta({ description: 'Id of the last enqueued job.' }),
    fired_count: count('Number of runs that enqueued a job.'),
    missed_count: count('Number of runs that `missed` has dropped.'),
    skipped_count: count('Number of runs that `overlap` has skipped.'),
    created_at: instantOutput.meta({ description: 'Time when the schedule was created.' }),
    updated_at: instantOutput.meta({ description: 'Time when a caller last changed the schedule.' }),
  })
  .meta({ id: 'Schedule', description: 'A schedule, which enqueues a job at each of its run times.' })

export type WireSchedule = z.output<typeof scheduleSchema>

export const schedulePreviewSchema = z
  .object({
    description: z.string().meta({ description: 'The timing in words.' }),
    instants: z
      .array(instantOutput)
      .max(limits.schedulePreviewMax)
      .meta({
        description: `The next run times, without jitter, up to ${limits.schedulePreviewMax}.`,
      }),
  })
  .meta({ id: 'SchedulePreview', description: 'The next run times of a schedule.' })

/** The path parameter of a schedule. An invalid name is answered with 404, since no schedule has it. */
export const scheduleNameParameters = z.object({
  name: z.string().meta({ description: 'Name of the schedule.', example: 'nightly-report' }),
})

const encode = encoderOf(scheduleSchema.shape)

export function encodeSchedule(schedule: Schedule, view: JobView): WireSchedule {
  return encode({ ...schedule, ...schedule.options, payload: shownPayload(schedule, view) })
}

export function encodePreview({ description, instants }: SchedulePreview) {
  return { description, instants: instants.map((at) => at.toISOString()) }
}

const exampleOptions = Object.fromEntries(
  Object.keys(optionMembers).map((name) => [
    name,
    { ...jobExample, metadata: null }[name as keyof WireJob] ?? null,
  ]),
) as Pick<WireSchedule, OptionMember>

/** The example of the documentation. */
export const scheduleExample: WireSchedule = {
  name: 'nightly-report',
  source: '',
  revision: 0,
  kind: 'send_email',
  kind_version: 1,
  payload: { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' },
  sensitive: [],
  open_results: false,
  ...exampleOptions,
  description: 'at 02:00, Monday through Friday, Europe/Berlin',
  cron: '0 2 * * 1-5',
  time_zone: 'Europe/Berlin',
  every_ms: null,
  starts_at: null,
  ends_at: null,
  jitter_ms: 0,
  missed: 'once',
  missed_window_ms: null,
  overlap: 'skip',
  paused_at: null,
  paused_reason: null,
  next_run_at: '2026-01-16T01:00:00.000Z',
  last_run_at: '2026-01-15T01:00:00.000Z',
  last_job_id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  fired_count: 12,
  missed_count: 0,
  skipped_count: 1,
  created_at: '2026-01-01T09:30:00.000Z',
  updated_at: '2026-01-01T09:30:00.000Z',
}

export const previewExample = {
  description: 'at 02:00, Monday through Friday, Europe/Berlin',
  instants: ['2026-01-16T01:00:00.000Z', '2026-01-19T01:00:00.000Z'],
}
