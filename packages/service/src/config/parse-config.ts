import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { faultLine } from './fault-line.ts'
import { type Environment, readText } from './read-text.ts'
import { type ConfigSchema, type Variable, variablesOf } from './variable.ts'

/**
 * Reads the configuration from `env`, once, at start.
 *
 * Throws ConfigError with one line for each bad variable, all of them at once: its name, its value unless that is a
 * secret, what is wrong, and what is accepted. Rules across settings are checked when each of them is well.
 */
export function parseConfig<Config>(schema: ConfigSchema<Config>, env: Environment): Config {
  const variables = variablesOf(schema)
  const lines = new Map<Variable, string>()
  const texts = new Map<Variable, string | undefined>()
  for (const variable of variables) {
    const read = readText(variable, env)
    if ('text' in read) texts.set(variable, read.text)
    else lines.set(variable, 'line' in read ? read.line : faultLine({ variable, fault: read.fault }))
  }
  const result = readingText(schema, variables).safeParse(nested(schema, texts), {
    error: wordIssue,
    reportInput: true,
  })
  if (result.success && lines.size === 0) return result.data as Config
  const issues = result.error?.issues ?? []
  const ofValues = issues.filter(({ input }) => !isGroup(input))
  for (const issue of ofValues.length + lines.size > 0 ? ofValues : issues) {
    const variable = variables.find(({ path }) => path.every((name, at) => name === issue.path[at]))
    if (variable === undefined) throw new Error(`no variable is at ${issue.path.join('.')}: ${issue.message}`)
    if (lines.has(variable)) continue
    lines.set(variable, faultLine({ variable, text: texts.get(variable), issue, variables }))
  }
  throw new ConfigError([...lines.values()])
}

/** The schema with each variable read from its text first, and with its rules. */
function readingText(
  schema: z.ZodObject,
  variables: readonly Variable[],
  within: readonly string[] = [],
): z.ZodObject {
  const shape = Object.entries(schema.shape).map(([name, inner]) => {
    const field = inner as z.ZodType
    if (field instanceof z.ZodObject) return [name, readingText(field, variables, [...within, name])]
    const at = [...within, name].join('.')
    const variable = variables.find(({ path }) => path.join('.') === at)
    return [name, variable === undefined ? field : variable.reader.optional().pipe(field)]
  })
  return z.core.clone(schema, { ...schema._zod.def, shape: Object.fromEntries(shape) })
}

/** The texts where the schema has their values. */
function nested(schema: z.ZodObject, texts: ReadonlyMap<Variable, string | undefined>): object {
  const groups = Object.keys(schema.shape).filter((name) => schema.shape[name] instanceof z.ZodObject)
  const values: Record<string, unknown> = Object.fromEntries(groups.map((name) => [name, {}]))
  for (const [{ path }, text] of texts) {
    const [first = '', setting] = path
    if (setting === undefined) values[first] = text
    else Object.assign(values[first] as object, { [setting]: text })
  }
  return values
}

/** The message of an issue for which the schema has none. */
const wordIssue: z.core.$ZodErrorMap = ({ code, input }) => {
  if (input === undefined) return 'is not set'
  if (code === 'too_small') return 'is too small'
  const isInfinite = code === 'invalid_type' && typeof input === 'number'
  return code === 'too_big' || isInfinite ? 'is too large' : 'is not accepted'
}

/** A rule across settings is about a group of them, every other issue about one value. */
function isGroup(input: unknown): boolean {
  return typeof input === 'object' && !Array.isArray(input)
}
