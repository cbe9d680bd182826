import type { z } from 'zod'

/**
 * What a caller may give for these fields of a schema. A mapped type keeps the comment above each field, so that an editor
 * shows it where the option is written; the type that zod infers of an object loses it.
 */
export type OptionsOf<Fields extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Fields]?: z.input<Fields[Name]> | undefined
}
