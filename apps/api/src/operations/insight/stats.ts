import { type Counts, type Stats, limits } from '@queue/core'
import { instantOutput, jobFields, statsGroupings, statsSteps } from '@queue/core/internal'
import { z } from 'zod'
import { instantFilter } from '../../wire/list-query.ts'

const percentilesSchema = z
  .object({
    p50: z.number().min(0).meta({ description: 'Median in milliseconds.' }),
    p95: z.number().min(0).meta({ description: '95th percentile in milliseconds.' }),
    p99: z.number().min(0).meta({ description: '99th percentile in milliseconds.' }),
  })
  .meta({ id: 'Percentiles', description: 'Durations in milliseconds, accurate to 5 %.' })

const count = (description: string) => z.int().min(0).meta({ description })

const counts = {
  enqueued: count(
    'Number of created jobs. A job is counted when a worker first claims it or when it is cancelled.',
  ),
  started: count('Number of started attempts.'),
  succeeded: count('Number of jobs that succeeded.'),
  failed: count('Number of jobs that failed permanently.'),
  retried: count('Number of attempts that failed or lost their worker and are retried.'),
  cancelled: count('Number of cancelled jobs.'),
  wait_ms: percentilesSchema.nullable().meta({
    description: 'How long jobs were due before an attempt started. Null if none started.',
  }),
  run_ms: percentilesSchema.nullable().meta({
    description: 'How long the ended attempts ran. Null if none ended.',
  }),
} as const

const countsSchema = z.object(counts).meta({ id: 'Counts', description: 'Numbers of jobs and attempts.' })

/** The statistics, as the API shows them. */
export const statsSchema = z
  .object({
    from: instantOutput.meta({
      description: 'Start of the first step. Not earlier than the numbers that are kept.',
    }),
    to: instantOutput.meta({ description: 'End of the time range.' }),
    step: z.enum(statsSteps).meta({ description: 'Length of each point.' }),
    points: z
      .array(
        z
          .object({ at: instantOutput.meta({ description: 'Start of the step.' }), ...counts })
          .meta({ id: 'StatsPoint', description: 'The numbers of one step.' }),
      )
      .meta({
        description:
          'With `by=time`: one point for each step, including steps without events. Otherwise empty.',
      }),
    total: countsSchema,
    series: z
      .array(
        z
          .object({
            queue: jobFields.queue.nullable().meta({
              description: `The queue. Null for everything beyond the ${limits.statsSeriesMax} queues and kinds that are tracked separately.`,
            }),
            kind: jobFields.kind.nullable().meta({ description: 'The kind. Null with `by=queue`.' }),
            ...counts,
          })
          .meta({ id: 'StatsSeries', description: 'The numbers of one queue, or of one queue and kind.' }),
      )
      .meta({
        description: 'With `by=queue`: each queue. With `by=series`: each queue and kind. Otherwise empty.',
      }),
  })
  .meta({ id: 'Stats', description: 'Statistics of jobs over time.' })

export type WireStats = z.output<typeof statsSchema>

/** The filters of statistics. All of them apply. */
export const statsQuery = {
  queue: jobFields.queue.optional().meta({ description: 'Jobs of this queue.' }),
  kind: jobFields.kind.optional().meta({ description: 'Jobs of this kind.' }),
  tenant: jobFields.tenantId.optional().meta({ description: 'Jobs of this tenant.' }),
  from: instantFilter(
    'Start of the time range, rounded down to its step. Defaults to one hour ago for minutes, one day ago for hours, ' +
      'and 30 days ago for days.',
  ),
  to: instantFilter(
    'End of the time range: the start of the step that contains it, so that adjoining ranges add up. Defaults to now, which can be within a step.',
  ),
  step: z.enum(statsSteps).optional().meta({
    description: 'Length of each point: `minute` (default), `hour` or `day`, in UTC.',
  }),
  by: z
    .enum(statsGroupings)
    .optional()
    .meta({
      description:
        'How the numbers are grouped. `time` (default): a point for each step. `queue`: each queue over the whole time ' +
        'range. `series`: each queue and kind over the whole time range. The last two read many times as many rows.',
    }),
} as const

/** Encodes statistics for the wire. */
export function encodeStats({ from, to, step, points, total, series }: Stats): WireStats {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    step,
    points: points.map(({ at, ...point }) => ({ at: at.toISOString(), ...encodeCounts(point) })),
    total: encodeCounts(total),
    series: series.map(({ queue, kind, ...rest }) => ({ queue, kind, ...encodeCounts(rest) })),
  }
}

function encodeCounts({ waitMs, runMs, ...numbers }: Counts): z.output<typeof countsSchema> {
  return { ...numbers, wait_ms: waitMs, run_ms: runMs }
}

const exampleCounts = {
  enqueued: 1,
  started: 1,
  succeeded: 1,
  failed: 0,
  retried: 0,
  cancelled: 0,
  wait_ms: { p50: 12.41, p95: 12.41, p99: 12.41 },
  run_ms: { p50: 340.2, p95: 340.2, p99: 340.2 },
} as const

/** The example of the documentation. */
export const statsExample: WireStats = {
  from: '2026-01-15T09:30:00.000Z',
  to: '2026-01-15T09:30:40.000Z',
  step: 'minute',
  points: [{ at: '2026-01-15T09:30:00.000Z', ...exampleCounts }],
  total: exampleCounts,
  series: [],
}
