import { type ErrorGroup, type ErrorRange, type ErrorsInRange, limits } from '@queue/core'
import { errorGroupings, errorSorts, fingerprintSchema, instantOutput, jobFields } from '@queue/core/internal'
import { z } from 'zod'
import { encoderOf } from '../../wire/encode-members.ts'
import { fingerprintsQuery, instantFilter } from '../../wire/list-query.ts'

/** The time range in which failures were counted. */
export const errorRangeSchema = z
  .object({
    from: instantOutput.meta({
      description:
        'Start of the first point of each trend, in whole hours. Not earlier than the hours that are kept.',
    }),
    to: instantOutput.meta({ description: 'End of the range. All failures of its last hour are counted.' }),
    step_ms: z
      .int()
      .min(1)
      .meta({
        description:
          'Length of each point of a trend in milliseconds: 1, 2, 3, 4, 6, 12 or 24 hours, so that there are at most ' +
          `${limits.errorTrendPointsMax} points.`,
      }),
  })
  .meta({ id: 'ErrorRange', description: 'The time range in which failures were counted.' })

const trendFields = {
  count: z.int().min(0).meta({ description: 'Number of failed attempts in the time range.' }),
  trend: z
    .array(z.int().min(0))
    .meta({ description: 'Number of failed attempts in each point, oldest first.' }),
} as const

const errorsInRangeSchema = z
  .object({
    ...trendFields,
    share: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .meta({
        description:
          'Failure rate: the share of the ended attempts of the kind and queue in the time range that failed with this ' +
          'cause. For a group with a tenant, only the attempts of that tenant count. Null if the statistics do not track ' +
          'the kind separately, or have no numbers yet.',
      }),
    versions: z
      .array(
        z
          .object({
            version: z
              .string()
              .nullable()
              .meta({
                description:
                  `Worker version. Null for the versions after the ${limits.errorVersionsMax} with the most failures, and for ` +
                  'workers that are no longer known.',
              }),
            ...trendFields,
          })
          .meta({ id: 'ErrorTrendOfVersion', description: 'Failures of the workers of one version.' }),
      )
      .meta({
        description:
          'With `by=version`: the trend of each worker version, most failures first. Otherwise empty.',
      }),
  })
  .meta({ id: 'ErrorsInRange', description: 'The failures of an error group in the time range.' })

/** An error group, as the API shows it. */
export const errorGroupSchema = z
  .object({
    fingerprint: fingerprintSchema.meta({ description: 'Fingerprint of the cause.' }),
    tenant_id: jobFields.tenantId
      .nullable()
      .meta({ description: 'Tenant of the jobs. Null for jobs without a tenant.' }),
    queue: jobFields.queue.meta({ description: 'Queue of the jobs.' }),
    kind: jobFields.kind.meta({ description: 'Kind of the jobs.' }),
    error_class: z.string().meta({ description: 'Class of the error, and its code if it has one.' }),
    count: z.int().min(1).meta({ description: 'Number of failed attempts since the group was created.' }),
    first_seen_at: instantOutput.meta({ description: 'Time of the first failure.' }),
    last_seen_at: instantOutput.meta({ description: 'Time of the last failure.' }),
    first_version: z.string().nullable().meta({
      description: 'Version of the worker that saw the first failure. Null if it was no longer known.',
    }),
    worker_versions: z.array(z.string()).meta({
      description: 'Versions of the workers that saw the failure, latest first, up to 10.',
    }),
    sample_job_id: z.uuid().nullable().meta({
      description:
        'Id of a job with this failure. Retention may have removed the job. Null if it was erased.',
    }),
    sample_error: z.string().meta({
      description:
        'Error of that job, with its stack. The sensitive values of its payload were hidden when it was stored.',
    }),
    in_range: errorsInRangeSchema.nullable().meta({
      description: 'Failures in the time range. Null if neither `from` nor `to` was sent.',
    }),
  })
  .meta({
    id: 'ErrorGroup',
    description: 'The failures with one fingerprint, in one queue and of one tenant.',
  })

export type WireErrorGroup = z.output<typeof errorGroupSchema>

const encode = encoderOf(errorGroupSchema.shape)

/** Encodes an error group for the wire. */
export function encodeErrorGroup(group: ErrorGroup): WireErrorGroup {
  return encode({ ...group, inRange: group.inRange && encodeInRange(group.inRange) })
}

function encodeInRange({ trend, versions, ...numbers }: ErrorsInRange): z.output<typeof errorsInRangeSchema> {
  return {
    ...numbers,
    trend: [...trend],
    versions: versions.map((version) => ({ ...version, trend: [...version.trend] })),
  }
}

/** Encodes a time range for the wire. */
export function encodeErrorRange({ from, to, stepMs }: ErrorRange): z.output<typeof errorRangeSchema> {
  return { from: from.toISOString(), to: to.toISOString(), step_ms: stepMs }
}

/** The example of the documentation. */
export const errorRangeExample: z.output<typeof errorRangeSchema> = {
  from: '2026-01-15T08:00:00.000Z',
  to: '2026-01-15T09:30:40.000Z',
  step_ms: 3_600_000,
}

/** The example of the documentation. */
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

/** The filters of error groups. A group must match all of them. */
export const errorFilter = {
  fingerprint: fingerprintsQuery('Groups with this fingerprint.'),
  kind: jobFields.kind.optional().meta({ description: 'Groups of this kind.' }),
  queue: jobFields.queue.optional().meta({ description: 'Groups of this queue.' }),
  tenant: jobFields.tenantId.optional().meta({ description: 'Groups of this tenant.' }),
} as const

/** The time range and the order of error groups. */
export const errorTime = {
  from: instantFilter(
    'Count failures from the hour of this time, and leave out groups without failures since. In a range of more than ' +
      '47 hours, the first point can begin earlier. Without `from`, `to` counts the 30 days of hours that are kept.',
  ),
  to: instantFilter('Count failures up to the hour of this time, inclusive. Defaults to now.'),
  by: z
    .enum(errorGroupings)
    .optional()
    .meta({
      description:
        '`version` adds the trend of each worker version to each group. By default, only the trend of the whole group is ' +
        'returned.',
    }),
  sort: z
    .enum(errorSorts)
    .optional()
    .meta({
      description:
        'Order of the groups. `last` (default): last seen first. `first`: most recently created first. `count`: most ' +
        'failures first, in the time range if there is one.',
    }),
} as const
