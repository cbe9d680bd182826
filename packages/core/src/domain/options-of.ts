import type { z } from 'zod'

/**
 * The options that a caller can pass for these fields of a schema. A mapped type keeps the comment above each field, so
 * that an editor shows it at the option. The type that zod infers of an object loses it.
 */
export type OptionsOf<Fields extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Fields]?: z.input<Fields[Name]> | undefined
}
