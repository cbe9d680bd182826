import {
  limits,
  type Schedule,
  type ScheduledJobOptions,
  type SchedulePreview,
  type ScheduleTimingOptions,
} from '@queue/core'
import { decodeRetryPolicy, encodeRetryPolicy, jobFields, scheduleFields } from '@queue/core/fields'
import { z } from 'zod'
import { type JobView, maskerOf } from '../kinds/job-view.ts'
import { jobSchema, metadataDescription, metadataMeta, retryPolicy } from './job.ts'
import { decodeUnique, encodeUnique, scheduleUniqueSchema, uniqueSchema } from './unique.ts'
import { anyJson, instantInput, instantOutput } from './values.ts'

const instant = (description: string) =>
  instantInput
    .nullable()
    .optional()
    .meta({ type: ['string', 'null'], format: 'date-time', description })

/** When a schedule fires, as a client sends it; null takes a member away. */
const timingFields = {
  cron: scheduleFields.cron.nullable().optional().meta({
    description:
      'Five fields, minute hour day-of-month month day-of-week, or six with the second before them. This or every_ms.',
  }),
  time_zone: scheduleFields.timeZone.optional().meta({
    description: 'The IANA name of the zone in which the expression counts. Absent: UTC.',
  }),
  every_ms: scheduleFields.everyMs.nullable().optional().meta({
    description: 'Milliseconds between two runs, counted from starts_at, or else from 1970. This or cron.',
  }),
  starts_at: instant('No run before this instant.'),
  ends_at: instant('No run at this instant or after it.'),
  jitter_ms: scheduleFields.jitterMs.optional().meta({
    description: 'Each run comes up to so many milliseconds late, always as late for one instant.',
  }),
  missed: scheduleFields.missed.optional().meta({
    description:
      'What becomes of runs that fell into a gap: skip none, once one for all (default), all each.',
  }),
  missed_window_ms: scheduleFields.missedWindowMs.nullable().optional().meta({
    description:
      'How many milliseconds late a run may begin. Absent: 60 000 with skip, a day with all, any with once.',
  }),
  overlap: scheduleFields.overlap.optional().meta({
    description: 'skip leaves a run out while the job of the run before has not ended. Absent: allow.',
  }),
}

const optionFields = {
  version: jobFields.kindVersion.optional().meta({
    description: 'The version of the kind. Absent: the newest whose schema accepts the payload.',
  }),
  queue: jobFields.queue.optional().meta({ description: "Absent: the kind's own queue." }),
  priority: jobFields.priority.optional().meta({ description: "Lower runs first. Absent: the kind's own." }),
  max_attempts: jobFields.maxAttempts.optional().meta({ description: "Absent: the kind's own." }),
  timeout_ms: jobFields.timeoutMs.optional().meta({ description: 'Milliseconds that one attempt may take.' }),
  retry_policy: retryPolicy.optional(),
  metadata: jobFields.metadata.optional().meta({ ...metadataMeta, description: metadataDescription }),
  expires_in_ms: jobFields.expiresInMs
    .optional()
    .meta({ description: 'Milliseconds from the firing: a job that has not begun by then is cancelled.' }),
  unique: uniqueSchema.optional().meta({ description: 'What each of its jobs is the only one of.' }),
  key: jobFields.key.optional().meta({
    description:
      "The key of its jobs, by which they can be limited. Absent: what the kind's own pointer finds in the payload.",
  }),
  weight: jobFields.weight.optional().meta({
    description: "How many tokens a start of its jobs costs, of each rate. Absent: the kind's own.",
  }),
}

export const scheduleTimingSchema = z.strictObject(timingFields).meta({ id: 'ScheduleTiming' })

/** A schedule to be made, as a client sends it. */
export const createScheduleSchema = z
  .strictObject({
    name: scheduleFields.name.meta({ description: 'By which it is read and changed.' }),
    kind: jobFields.kind.meta({ description: 'One of the kinds that the server knows.' }),
    payload: anyJson.meta({
      description: `What its kind asks for, in at most ${limits.schedulePayloadBytesMax} bytes.`,
    }),
    ...optionFields,
    ...timingFields,
  })
  .meta({ id: 'CreateSchedule' })

export type CreateSchedule = z.output<typeof createScheduleSchema>

/** What changes of a schedule: absent members stay as they are. */
export const updateScheduleSchema = z
  .strictObject({
    kind: jobFields.kind.optional().meta({ description: 'Absent: as it is.' }),
    payload: z.unknown().optional().meta({ description: 'Absent: as it is.' }),
    ...optionFields,
    ...timingFields,
  })
  .meta({ id: 'UpdateSchedule' })

export type UpdateSchedule = z.output<typeof updateScheduleSchema>

/** The schedules of a source. */
export const syncSchedulesSchema = z
  .strictObject({
    source: scheduleFields.source.meta({
      description: 'Whose schedules these are: a sync touches no others.',
    }),
    revision: scheduleFields.revision.meta({
      description: 'Grows with each release of the source. A sync from an older one changes nothing.',
    }),
    prune: z.boolean().optional().meta({
      description: 'Whether schedules of this source are deleted that are not among these. Absent: false.',
    }),
    schedules: z.array(createScheduleSchema).max(limits.scheduleSyncMax),
  })
  .meta({ id: 'SyncSchedules' })

const names = (description: string) => z.array(scheduleFields.name).meta({ description })

export const syncReportSchema = z
  .object({
    outcome: z.enum(['synced', 'outdated']).meta({
      description: 'outdated: a later revision was there before, and nothing was changed.',
    }),
    revision: scheduleFields.revision.meta({ description: 'The revision that the source has now.' }),
    created: names('Made.'),
    updated: names('Changed.'),
    unchanged: names('As they should be already.'),
    deleted: names('Pruned.'),
  })
  .meta({ id: 'ScheduleSyncReport', description: 'What a sync has done, by the names of schedules.' })

const count = (description: string) => z.int().min(0).meta({ description })
const instantOrNull = (description: string) => instantOutput.nullable().meta({ description })

/** A schedule as the API shows it. */
export const scheduleSchema = z
  .object({
    name: scheduleFields.name,
    source: z.string().meta({ description: 'Who keeps it in step by sync; empty: nobody does.' }),
    revision: scheduleFields.revision.meta({ description: 'That of the sync that wrote it.' }),
    kind: jobFields.kind,
    kind_version: jobFields.kindVersion.meta({
      description: 'The version of its kind that its payload is of.',
    }),
    payload: anyJson.meta({
      description:
        'The payload of its jobs; without the permission payload:read, `***` stands for what is sensitive.',
    }),
    queue: jobFields.queue,
    priority: jobFields.priority,
    max_attempts: jobFields.maxAttempts,
    timeout_ms: jobFields.timeoutMs.nullable(),
    retry_policy: jobSchema.shape.retry_policy,
    metadata: jobSchema.shape.metadata,
    expires_in_ms: jobFields.expiresInMs.nullable(),
    unique: scheduleUniqueSchema,
    key: jobSchema.shape.key,
    weight: jobSchema.shape.weight,
    description: z.string().meta({ description: 'When it fires, in words.' }),
    cron: z.string().nullable(),
    time_zone: z.string(),
    every_ms: scheduleFields.everyMs.nullable(),
    starts_at: instantOrNull('No run before this instant.'),
    ends_at: instantOrNull('No run at this instant or after it.'),
    jitter_ms: scheduleFields.jitterMs,
    missed: scheduleFields.missed,
    missed_window_ms: scheduleFields.missedWindowMs.nullable(),
    overlap: scheduleFields.overlap,
    paused_at: instantOrNull('Since when; null while it fires.'),
    paused_reason: z.string().nullable().meta({
      description: 'Why it has paused itself; null where somebody has paused it.',
    }),
    next_run_at: instantOrNull('The instant of the next run; null when there is none any more.'),
    last_run_at: instantOrNull('The last instant that got a job.'),
    last_job_id: z.uuid().nullable().meta({ description: 'Its last job.' }),
    fired_count: count('Instants that got a job.'),
    missed_count: count('Instants that `missed` has dropped.'),
    skipped_count: count('Instants that `overlap` has dropped.'),
    created_at: instantOutput,
    updated_at: instantOutput.meta({ description: 'When somebody last changed it.' }),
  })
  .meta({ id: 'Schedule', description: 'A job that is enqueued again and again.' })

export type WireSchedule = z.output<typeof scheduleSchema>

export const schedulePreviewSchema = z
  .object({
    description: z.string().meta({ description: 'When it fires, in words.' }),
    instants: z.array(instantOutput).max(limits.schedulePreviewMax).meta({
      description: 'The next instants, without jitter.',
    }),
  })
  .meta({ id: 'SchedulePreview', description: 'When a schedule fires from now on.' })

/** The parameters of a schedule's path. Text that is no name names no schedule: 404. */
export const scheduleNameParameters = z.object({
  name: z.string().meta({ description: 'The name of the schedule.', example: 'nightly-report' }),
})

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

/** The options of its jobs that a request names. */
export function decodeScheduledOptions(
  body: Pick<UpdateSchedule, 'version' | keyof typeof optionFields>,
): ScheduledJobOptions {
  return {
    version: body.version,
    queue: body.queue,
    priority: body.priority,
    maxAttempts: body.max_attempts,
    timeoutMs: body.timeout_ms,
    retryPolicy: body.retry_policy && (decodeRetryPolicy(body.retry_policy) ?? undefined),
    metadata: body.metadata,
    expiresInMs: body.expires_in_ms,
    unique: body.unique && decodeUnique(body.unique),
    key: body.key,
    weight: body.weight,
  }
}

export function encodeSchedule(schedule: Schedule, view: JobView): WireSchedule {
  const { options } = schedule
  const masker = maskerOf(schedule, view)
  return {
    name: schedule.name,
    source: schedule.source,
    revision: schedule.revision,
    kind: schedule.kind,
    kind_version: schedule.kindVersion,
    payload: masker.payload,
    queue: options.queue,
    priority: options.priority,
    max_attempts: options.maxAttempts,
    timeout_ms: options.timeoutMs,
    retry_policy:
      options.retryPolicy && (encodeRetryPolicy(options.retryPolicy) as WireSchedule['retry_policy']),
    metadata: options.metadata,
    expires_in_ms: options.expiresInMs,
    unique: encodeUnique(options.unique),
    key: options.key && masker.text(options.key),
    weight: options.weight,
    description: schedule.description,
    cron: schedule.cron,
    time_zone: schedule.timeZone,
    every_ms: schedule.everyMs,
    starts_at: toIso(schedule.startsAt),
    ends_at: toIso(schedule.endsAt),
    jitter_ms: schedule.jitterMs,
    missed: schedule.missed,
    missed_window_ms: schedule.missedWindowMs,
    overlap: schedule.overlap,
    paused_at: toIso(schedule.pausedAt),
    paused_reason: schedule.pausedReason,
    next_run_at: toIso(schedule.nextRunAt),
    last_run_at: toIso(schedule.lastRunAt),
    last_job_id: schedule.lastJobId,
    fired_count: schedule.firedCount,
    missed_count: schedule.missedCount,
    skipped_count: schedule.skippedCount,
    created_at: schedule.createdAt.toISOString(),
    updated_at: schedule.updatedAt.toISOString(),
  }
}

export function encodePreview({ description, instants }: SchedulePreview) {
  return { description, instants: instants.map((at) => at.toISOString()) }
}

function toIso(at: Date | null): string | null {
  return at === null ? null : at.toISOString()
}

/** A schedule as the documentation shows one. */
export const scheduleExample: WireSchedule = {
  name: 'nightly-report',
  source: '',
  revision: 0,
  kind: 'send_email',
  kind_version: 1,
  payload: { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' },
  queue: 'default',
  priority: 4,
  max_attempts: 3,
  timeout_ms: null,
  unique: null,
  key: null,
  weight: 1,
  retry_policy: null,
  metadata: null,
  expires_in_ms: null,
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

/** A request as the documentation shows one. */
export const createScheduleExample: CreateSchedule = {
  name: 'nightly-report',
  kind: 'send_email',
  payload: { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' },
  cron: '0 2 * * 1-5',
  time_zone: 'Europe/Berlin',
  overlap: 'skip',
}

export const previewExample = {
  description: 'at 02:00, Monday through Friday, Europe/Berlin',
  instants: ['2026-01-16T01:00:00.000Z', '2026-01-19T01:00:00.000Z'],
}
