import { limits } from '@queue/core'
import { fingerprintsSchema, jobFields, metadataError, metadataNameSchema } from '@queue/core/fields'
import { z } from 'zod'
import { cursorLengthMax } from '../http/limits.ts'
import { instantInput } from './values.ts'

/** How many items a list may have, as a query says it. */
export function limitQuery(bounds: {
  readonly max: number
  readonly usual: number
  readonly description: string
}) {
  const { max, usual, description } = bounds
  return z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: max, default: usual, description })
}

/** What every paged list takes. */
export const pageQuery = {
  limit: limitQuery({
    max: limits.listLimitMax,
    usual: limits.listLimitDefault,
    description: 'How many items a page may have.',
  }),
  cursor: z.string().min(1).max(cursorLengthMax).optional().meta({
    description: 'The next_cursor of the page before, with the same filters.',
  }),
} as const

/** Members that metadata has to have. */
export const metadataFilter = z
  .record(metadataNameSchema, z.string().max(limits.metadataBytesMax), { error: metadataError })
  .refine((metadata) => jobFields.metadata.safeParse(metadata).success, {
    message:
      `has more than ${limits.metadataMembersMax} members or ${limits.metadataBytesMax} bytes, or contains U+0000 or a lone ` +
      'surrogate',
  })

/** What every paged list answers beside its data. */
export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'What to send as cursor for the next page; null at the end.' })

/** Causes as the document of a body has them. */
export function fingerprintsFilter(description: string) {
  return fingerprintsSchema.optional().meta({ description })
}

/** Causes as a query has them: with commas between. */
export function fingerprintsQuery(description: string) {
  const split = (given: unknown): unknown =>
    typeof given === 'string' && given.includes(',') ? given.split(',') : given
  return z
    .preprocess(split, fingerprintsSchema)
    .optional()
    .meta({
      param: { style: 'form', explode: false },
      description: `${description} Several: with commas between.`,
    })
}

/** An instant as a filter takes it. */
export function instantFilter(description: string) {
  return instantInput.optional().meta({ type: 'string', format: 'date-time', description })
}
