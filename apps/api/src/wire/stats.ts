import { type Counts, limits, type Stats } from '@queue/core'
import { jobFields, statsGroupings, statsSteps } from '@queue/core/fields'
import { z } from 'zod'
import { instantFilter } from './list-query.ts'
import { instantOutput } from './values.ts'

const percentilesSchema = z
  .object({
    p50: z.number().min(0).meta({ description: 'Half of all took no longer, in milliseconds.' }),
    p95: z.number().min(0).meta({ description: '95 of 100 took no longer.' }),
    p99: z.number().min(0).meta({ description: '99 of 100 took no longer.' }),
  })
  .meta({ id: 'Percentiles', description: 'Durations in milliseconds, each within 5 % of the exact one.' })

const count = (description: string) => z.int().min(0).meta({ description })

const counts = {
  enqueued: count('Jobs that were created then, counted once a worker has got them or they were cancelled.'),
  started: count('Attempts that began.'),
  succeeded: count('Jobs that succeeded.'),
  failed: count('Jobs that failed for good.'),
  retried: count('Attempts that failed, or whose worker was lost, and that are tried again.'),
  cancelled: count('Jobs that were cancelled.'),
  wait_ms: percentilesSchema.nullable().meta({
    description: 'How long jobs were due before an attempt began; null where none began.',
  }),
  run_ms: percentilesSchema.nullable().meta({
    description: 'How long attempts ran that ended in one of the four ways above; null where none has.',
  }),
} as const

const countsSchema = z.object(counts).meta({ id: 'Counts', description: 'What has happened to jobs.' })

/** Numbers over time, as the API shows them. */
export const statsSchema = z
  .object({
    from: instantOutput.meta({ description: 'When the first step began: no earlier than numbers are kept.' }),
    to: instantOutput.meta({ description: 'Where they end.' }),
    step: z.enum(statsSteps),
    points: z
      .array(
        z
          .object({ at: instantOutput.meta({ description: 'When the step began.' }), ...counts })
          .meta({ id: 'StatsPoint' }),
      )
      .meta({ description: 'By time: one for each step, also where nothing has happened. Else none.' }),
    total: countsSchema,
    series: z
      .array(
        z
          .object({
            queue: jobFields.queue.nullable(),
            kind: jobFields.kind.nullable(),
            ...counts,
          })
          .meta({
            id: 'StatsSeries',
            description:
              'The jobs of one queue and kind, or, by queue, of all its kinds: then kind is null. A queue that is null: all beyond ' +
              `the ${limits.statsSeriesMax} queues and kinds that are kept apart.`,
          }),
      )
      .meta({ description: 'By series: each queue and kind with numbers. By queue: each queue.' }),
  })
  .meta({ id: 'Stats', description: 'What has happened to jobs over time.' })

export type WireStats = z.output<typeof statsSchema>

/** Which numbers; all conditions hold at once. */
export const statsQuery = {
  queue: jobFields.queue.optional().meta({ description: 'The queue.' }),
  kind: jobFields.kind.optional().meta({ description: 'The kind.' }),
  tenant: jobFields.tenantId.optional().meta({ description: 'The tenant.' }),
  from: instantFilter(
    'From the step that holds this instant. By default an hour of minutes, a day of hours, or 30 days of days.',
  ),
  to: instantFilter('Up to this instant. By default now.'),
  step: z.enum(statsSteps).optional().meta({
    description: 'How far each point reaches: minute (the default), hour or day, in UTC.',
  }),
  by: z
    .enum(statsGroupings)
    .optional()
    .meta({
      description:
        'What the numbers are added up by: time (the default) gives points; queue gives each queue, and series each queue and ' +
        'kind, over the whole time, for which it reads many times as much.',
    }),
} as const

/** Numbers in the names and types of the wire. */
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

/** Numbers as the documentation shows them. */
export const statsExample: WireStats = {
  from: '2026-01-15T09:30:00.000Z',
  to: '2026-01-15T09:30:40.000Z',
  step: 'minute',
  points: [{ at: '2026-01-15T09:30:00.000Z', ...exampleCounts }],
  total: exampleCounts,
  series: [],
}
