import { z } from 'zod'

/**
 * The description of a setting by its zod schema: its JSON Schema (type, bounds, default) and the members of its `.meta`. An
 * unknown member is refused: it is a typing error in a `.meta`, or a kind of schema that `textKindOf` does not support.
 */
const shownSchema = z.strictObject({
  /** The effect of the setting, for the help text and the documentation. */
  description: z.string().optional(),
  /** The environment variable that sets it; absent if only code can set it. */
  variable: z.string().optional(),
  /** How a whole number is written: in milliseconds, or with any unit, such as `7d`. */
  unit: z.enum(['ms', 'duration']).optional(),
  /** The accepted values, if they cannot be derived from the schema. */
  accepted: z.string().optional(),
  /** What an unset value means, if there is no default. */
  unset: z.string().optional(),
  /** A secret's value is never shown, and `NAME_FILE` may name a file to read it from. */
  secret: z.boolean().optional(),

  $schema: z.string().optional(),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'array']).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  items: z.unknown().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  const: z.union([z.string(), z.number()]).optional(),
  get anyOf() {
    return z.array(shownSchema).optional()
  },
})

export type ShownSchema = z.output<typeof shownSchema>

/** The schema of an application may come from another copy of zod, so its `.meta` is read by its own method. */
export function showSchema(schema: z.ZodType): ShownSchema {
  const shown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return shownSchema.parse({ ...shown, ...schema.meta() })
}
