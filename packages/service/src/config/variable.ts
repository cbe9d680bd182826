import { z } from 'zod'
import { showSchema } from './shown-schema.ts'
import { type TextKind, textKindOf } from './text-kinds.ts'

/** One environment variable as the help text and the generated documentation show it. */
export interface VariableDescription {
  readonly name: string
  readonly description: string
  /** What a good value looks like. */
  readonly accepted: string
  readonly presence: 'required' | 'optional'
  /** Its value when it is unset, as one would write it; absent when there is none. */
  readonly default?: string
  /** A secret's value is never shown, and `NAME_FILE` may name a file to read it from. */
  readonly secrecy: 'secret' | 'public'
}

/** A variable, and where its value goes. */
export interface Variable extends VariableDescription {
  /** In the configuration: its own name, or the names of a group and of a setting. */
  readonly path: readonly string[]
  readonly reader: TextKind['reader']
}

/**
 * A configuration: its members are variables under their own names, or groups. A group is a package's schema of its
 * settings; those whose `.meta` names a variable are read from it, the others keep their defaults. Rules across settings
 * are refinements with a path.
 */
export type ConfigSchema<Config> = z.ZodObject & z.ZodType<Config>

/** Every variable of a configuration, in the order in which the schema names them. */
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
  const written = unset ?? (value === undefined ? undefined : kind.write(value))
  return {
    name,
    path,
    description,
    accepted: accepted ?? kind.accepted,
    secrecy: secret ? 'secret' : 'public',
    presence: schema.safeParse(undefined).success ? 'optional' : 'required',
    reader: kind.reader,
    ...(written === undefined ? {} : { default: written }),
  }
}
