import type { ExpectedStart } from '@queue/core'
import { startUnknownReasons } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

/** When a job will begin, as the API shows it. */
export const expectedStartSchema = z
  .object({
    place: z.int().min(0).nullable().meta({
      description: 'How many waiting jobs of its queue come before it; null where that is not known.',
    }),
    starts_per_minute: z.number().min(0).nullable().meta({
      description:
        'How many attempts of its queue have begun in a minute in which jobs had to wait; null: none such.',
    }),
    expected_at: instantOutput.nullable().meta({ description: 'Null where nobody can say.' }),
    unknown: z
      .enum(startUnknownReasons)
      .nullable()
      .meta({
        description:
          'Why nobody can say. not_waiting: it runs, or has ended. out_of_bounds: jobs beyond the bounds of the key may come ' +
          'before it. no_worker: none serves its queue. too_many_before: more than are counted. no_rate: no job of its queue had ' +
          'to wait in the last minutes.',
      }),
  })
  .meta({
    id: 'ExpectedStart',
    description: 'When a waiting job will begin, as far as the last minutes tell.',
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

/** One as the documentation shows it. */
export const expectedStartExample = {
  place: 1_200,
  starts_per_minute: 600,
  expected_at: '2026-01-15T09:32:00.000Z',
  unknown: null,
} as const
