import { limits } from '@queue/core'
import { fingerprintsSchema, jobFields, metadataError, metadataNameSchema } from '@queue/core/internal'
import { z } from 'zod'
import { cursorLengthMax } from '../http/limits.ts'
import { instantInput } from '@queue/core/internal'

/** The query parameter for the maximum number of items. */
export function limitQuery(options: {
  readonly max: number
  readonly default: number
  readonly description: string
}) {
  const { max, default: defaultLimit, description } = options
  return z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: max, default: defaultLimit, description })
}

/** The query parameters of every paginated list. */
export const pageQuery = {
  limit: limitQuery({
    max: limits.listLimitMax,
    default: limits.listLimitDefault,
    description: 'Maximum number of items in a page.',
  }),
  cursor: z.string().min(1).max(cursorLengthMax).optional().meta({
    description: 'The next_cursor of the previous page. Send it with the same filters.',
  }),
} as const

/** Metadata members to match. */
export const metadataFilter = z
  .record(metadataNameSchema, z.string().max(limits.metadataBytesMax), { error: metadataError })
  .refine(
    (metadata) => Object.keys(metadata).length > 0,
    'names no member, and would match every job: leave it out',
  )
  .refine((metadata) => jobFields.metadata.safeParse(metadata).success, {
    message:
      `has more than ${limits.metadataMembersMax} members or ${limits.metadataBytesMax} bytes, or contains U+0000 or a lone ` +
      'surrogate',
  })

/** The cursor that every paginated list returns. */
export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Cursor of the next page. Null on the last page.' })

/** Fingerprints in a JSON body. */
export function fingerprintsFilter(description: string) {
  return fingerprintsSchema.optional().meta({ description })
}

/** Fingerprints in a query, separated by commas. */
export function fingerprintsQuery(description: string) {
  const split = (value: unknown): unknown =>
    typeof value === 'string' && value.includes(',') ? value.split(',') : value
  return z
    .preprocess(split, fingerprintsSchema)
    .optional()
    .meta({
      param: { style: 'form', explode: false },
      description: `${description} Separate several fingerprints with commas.`,
    })
}

/** A filter by time. */
export function instantFilter(description: string) {
  return instantInput.optional().meta({ type: 'string', format: 'date-time', description })
}

/** The filter without members that a request does not have: an action refuses a member that its caller has left undefined. */
export function definedMembers<Filter extends object>(filter: Filter): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Filter
}
