import { z } from 'zod'

/**
 * A setting as its zod schema describes it: its JSON Schema (type, bounds, default) and what its `.meta` adds. An unknown
 * member is refused: it is a typing error in a `.meta`, or a kind of schema that `textKindOf` does not support.
 */
const shownSchema = z.strictObject({
  /** What the setting does: the help text and the documentation. */
  description: z.string().optional(),
  /** The environment variable that sets it; absent where only code does. */
  variable: z.string().optional(),
  /** How a whole number is written: in milliseconds, or with any unit, such as `7d`. */
  unit: z.enum(['ms', 'duration']).optional(),
  /** What a good value looks like, where the schema cannot tell. */
  accepted: z.string().optional(),
  /** What holds when it is unset and has no default of its own. */
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

/** The schema may be of another copy of zod than ours, as that of an application: only it knows its own `.meta` then. */
export function showSchema(schema: z.ZodType): ShownSchema {
  const shown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return shownSchema.parse({ ...shown, ...schema.meta() })
}
