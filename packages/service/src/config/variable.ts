import { z } from 'zod'
import { showSchema } from './shown-schema.ts'
import { type TextKind, textKindOf } from './text-kinds.ts'

/** One environment variable, for the help text and the generated documentation. */
export interface VariableDescription {
  readonly name: string
  readonly description: string
  /** The accepted values. */
  readonly accepted: string
  readonly presence: 'required' | 'optional'
  /** The text of its default; absent if it has none. */
  readonly default?: string
  /** A secret's value is never shown, and `NAME_FILE` may name a file to read it from. */
  readonly secrecy: 'secret' | 'public'
}

/** A variable, with the place of its value in the configuration. */
export interface Variable extends VariableDescription {
  /** The path in the configuration: its own name, or the names of a group and a setting. */
  readonly path: readonly string[]
  readonly reader: TextKind['reader']
}

/**
 * The schema of a configuration. Its members are variables under their own names, or groups. A group is the schema of a package's
 * settings: settings whose `.meta` names a variable are read from it, and the others keep their defaults. Rules that involve
 * several settings are refinements with a path.
 */
export type ConfigSchema<Config> = z.ZodObject & z.ZodType<Config>

/** Every variable of a configuration, in the order of the schema. */
export function variablesOf(schema: z.ZodObject): Variable[] {
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    field instanceof z.ZodObject
      ? Object.entries(field.shape).flatMap(([setting, inner]) => settingVariable(inner, [name, setting]))
      : [describe(field as z.ZodType, { name, path: [name] })],
  )
}

function settingVariable(field: unknown, path: readonly string[]): Variable[] {
  const schema = field as z.ZodType
  const { variable: name } = schema.meta() ?? {}
  return typeof name !== 'string' ? [] : [describe(schema, { name, path })]
}

function describe(schema: z.ZodType, { name, path }: Pick<Variable, 'name' | 'path'>): Variable {
  const shown = showSchema(schema)
  const { description, secret = false, accepted, unset, default: value } = shown
  if (description === undefined) throw new Error(`${name} has no description`)
  const kind = textKindOf(shown)
  const defaultText = unset ?? (value === undefined ? undefined : kind.write(value))
  return {
    name,
    path,
    description,
    accepted: accepted ?? kind.accepted,
    secrecy: secret ? 'secret' : 'public',
    presence: schema.safeParse(undefined).success ? 'optional' : 'required',
    reader: kind.reader,
    ...(defaultText === undefined ? {} : { default: defaultText }),
  }
}
