import type { ExpectedStart } from '@queue/core'
import { instantOutput, startUnknownReasons } from '@queue/core/internal'
import { z } from 'zod'

/** The estimated start of a job, as the API shows it. */
export const expectedStartSchema = z
  .object({
    place: z.int().min(0).nullable().meta({
      description: 'Number of waiting jobs in the queue that come before this one. Null if unknown.',
    }),
    starts_per_minute: z.number().min(0).nullable().meta({
      description:
        'Attempts of the queue that started per minute, in minutes in which jobs had to wait. Null if there were none.',
    }),
    expected_at: instantOutput
      .nullable()
      .meta({ description: 'Estimated start. Null if there is no estimate.' }),
    unknown: z
      .enum(startUnknownReasons)
      .nullable()
      .meta({
        description:
          'Why there is no estimate. `not_waiting`: the job is running or has ended. `out_of_bounds`: jobs outside of the ' +
          'scope of the caller can come before it. `queue_paused`: the queue is paused. `no_worker`: no worker serves the ' +
          'queue. `too_many_before`: more jobs come before it than are counted. `no_rate`: no job of the queue had to wait ' +
          'in the last minutes.',
      }),
  })
  .meta({
    id: 'ExpectedStart',
    description: 'The estimated start of a waiting job.',
  })

export function encodeExpectedStart({
  place,
  startsPerMinute,
  expectedAt,
  unknown,
}: ExpectedStart): z.output<typeof expectedStartSchema> {
  return {
    place,
    starts_per_minute: startsPerMinute,
    expected_at: expectedAt?.toISOString() ?? null,
    unknown,
  }
}

/** The example of the documentation. */
export const expectedStartExample = {
  place: 1_200,
  starts_per_minute: 600,
  expected_at: '2026-01-15T09:32:00.000Z',
  unknown: null,
} as const
