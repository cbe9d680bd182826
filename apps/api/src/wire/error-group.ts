import { type ErrorGroup, type ErrorRange, type ErrorsInRange, limits } from '@queue/core'
import { errorGroupings, errorSorts, fingerprintSchema, jobFields, type Masker } from '@queue/core/fields'
import { z } from 'zod'
import { fingerprintsQuery, instantFilter } from './list-query.ts'
import { instantOutput } from './values.ts'

/** The time of which failures were counted. */
export const errorRangeSchema = z
  .object({
    from: instantOutput.meta({
      description:
        'When the first point of each trend begins, in whole hours: no earlier than hours are kept.',
    }),
    to: instantOutput.meta({ description: 'Where it ends. Of the hour that it is in all failures count.' }),
    step_ms: z
      .int()
      .min(1)
      .meta({
        description: `How long each point of a trend is: 1, 2, 3, 4, 6, 12 or 24 hours, so that there are at most ${limits.errorTrendPointsMax}.`,
      }),
  })
  .meta({ id: 'ErrorRange', description: 'The time of which failures were counted.' })

const trended = {
  count: z.int().min(0).meta({ description: 'Attempts that failed so in that time.' }),
  trend: z
    .array(z.int().min(0))
    .meta({ description: 'How many of them are of each step, the oldest first.' }),
} as const

const errorsInRangeSchema = z
  .object({
    ...trended,
    share: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          'Of the attempts of its kind and queue that ended in that time: of a group with a tenant of those of this tenant, else of ' +
          'all. Null where the numbers do not keep the kind apart, or have none yet.',
      }),
    versions: z
      .array(
        z
          .object({
            version: z
              .string()
              .nullable()
              .meta({
                description: `Null: of the versions beyond the ${limits.errorVersionsMax} that saw most, and of workers that were forgotten.`,
              }),
            ...trended,
          })
          .meta({ id: 'ErrorTrendOfVersion', description: 'Failures that workers of one version saw.' }),
      )
      .meta({ description: 'By version: each, the one that saw most first. Else none.' }),
  })
  .meta({ id: 'ErrorsInRange', description: 'The failures of one cause in a time.' })

/** Failures of one cause, as the API shows them. */
export const errorGroupSchema = z
  .object({
    fingerprint: fingerprintSchema.meta({ description: 'What is the same of failures of one cause.' }),
    tenant_id: jobFields.tenantId.nullable(),
    queue: jobFields.queue,
    kind: jobFields.kind,
    error_class: z.string().meta({ description: 'The class of the error, and its code where it has one.' }),
    count: z.int().min(1).meta({ description: 'Attempts that failed so.' }),
    first_seen_at: instantOutput,
    last_seen_at: instantOutput,
    first_version: z.string().nullable().meta({
      description: 'The version of the worker that saw it first; null where that was forgotten by then.',
    }),
    worker_versions: z.array(z.string()).meta({
      description: 'The versions of the workers that saw it, the latest first, at most 10.',
    }),
    sample_job_id: z.uuid().meta({ description: 'A job that failed so; it may have been pruned.' }),
    sample_error: z.string().meta({
      description:
        'The error of that job, with its stack. Without the permission payload:read, `***` stands for what its kind calls ' +
        'sensitive, and for all of it once the job is gone.',
    }),
    in_range: errorsInRangeSchema.nullable().meta({
      description: 'Its failures in the time that was asked for; null where none was.',
    }),
  })
  .meta({ id: 'ErrorGroup', description: 'Failures of one cause, in one queue and of one tenant.' })

export type WireErrorGroup = z.output<typeof errorGroupSchema>

/** A group in the names and types of the wire. */
export function encodeErrorGroup(group: ErrorGroup, masker: Pick<Masker, 'text'>): WireErrorGroup {
  return {
    fingerprint: group.fingerprint,
    tenant_id: group.tenantId,
    queue: group.queue,
    kind: group.kind,
    error_class: group.errorClass,
    count: group.count,
    first_seen_at: group.firstSeenAt.toISOString(),
    last_seen_at: group.lastSeenAt.toISOString(),
    first_version: group.firstVersion,
    worker_versions: [...group.workerVersions],
    sample_job_id: group.sampleJobId,
    sample_error: masker.text(group.sampleError),
    in_range: group.inRange && encodeInRange(group.inRange),
  }
}

function encodeInRange({ trend, versions, ...numbers }: ErrorsInRange): z.output<typeof errorsInRangeSchema> {
  return {
    ...numbers,
    trend: [...trend],
    versions: versions.map((one) => ({ ...one, trend: [...one.trend] })),
  }
}

/** A time in the names and types of the wire. */
export function encodeErrorRange({ from, to, stepMs }: ErrorRange): z.output<typeof errorRangeSchema> {
  return { from: from.toISOString(), to: to.toISOString(), step_ms: stepMs }
}

/** A time as the documentation shows one. */
export const errorRangeExample: z.output<typeof errorRangeSchema> = {
  from: '2026-01-15T08:00:00.000Z',
  to: '2026-01-15T09:30:40.000Z',
  step_ms: 3_600_000,
}

/** A group as the documentation shows one. */
export const errorGroupExample: WireErrorGroup = {
  fingerprint: '3f0c9a51d2e8b764',
  tenant_id: null,
  queue: 'mail',
  kind: 'send_email',
  error_class: 'Error ECONNREFUSED',
  count: 1,
  first_seen_at: '2026-01-15T09:30:00.431Z',
  last_seen_at: '2026-01-15T09:30:00.431Z',
  first_version: '1.4.0',
  worker_versions: ['1.4.0'],
  sample_job_id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001',
  sample_error: 'Error: the mail server refused the connection',
  in_range: { count: 1, share: 0.25, trend: [0, 1], versions: [] },
}

/** Which groups; all conditions hold at once. */
export const errorFilter = {
  fingerprint: fingerprintsQuery('The cause, or one of these.'),
  kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
  queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
  tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
} as const

/** Of which time, and in which order. */
export const errorTime = {
  from: instantFilter(
    'Count failures since this instant, from the beginning of its hour, and leave out groups without any. Of more than 47 hours the ' +
      'first step may begin earlier. With `to` alone: as long as hours are kept, 30 days.',
  ),
  to: instantFilter('Count them up to this instant, with its hour. By default now.'),
  by: z.enum(errorGroupings).optional().meta({
    description:
      'version: the trend in that time also of each version of the workers. By default of the cause alone.',
  }),
  sort: z
    .enum(errorSorts)
    .optional()
    .meta({
      description:
        'What begins the list: last (the default), what was seen last; first, what came last; count, what failed most in that ' +
        'time, or at all.',
    }),
} as const
