// The only place that decides whether the filter of an act names what it changes.
import { z } from 'zod'
import { InvalidInput, QueueError } from '../domain/errors.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { OptionsOf } from '../domain/options-of.ts'

export const allFields = {
  /** Required as true to act on everything that the caller can see. A filter without a condition is refused otherwise. */
  all: z.boolean().optional(),
}

export type AllOption = OptionsOf<typeof allFields>

/**
 * The filter of an act or of its dry run. A member that is given as undefined is refused: a value that the caller has
 * forgotten to set would widen the act. Throws `invalid_options`.
 */
export function parseActFilter<Schema extends z.ZodType<object>>(
  schema: Schema,
  filter: unknown,
): z.output<Schema> {
  const checked = parseOrThrow(schema, filter, 'invalid_options')
  const issues = Object.entries(checked)
    .filter(([, value]) => value === undefined)
    .map(([name]) => ({
      path: [name],
      message: 'is undefined, and would widen the act: give a value, or leave it out',
    }))
  if (issues.length > 0) throw new InvalidInput('invalid_options', issues)
  return checked
}

/** Throws `selects_everything` for a checked filter without a condition, unless everything was asked for. */
export function assertSelects(filter: object, { all = false }: AllOption): void {
  if (all || Object.keys(filter).length > 0) return
  throw new QueueError(
    'selects_everything',
    'a filter without a condition selects everything: give a condition, or `all: true`',
  )
}
