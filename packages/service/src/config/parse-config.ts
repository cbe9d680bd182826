import { z } from 'zod'
import { ConfigError } from '../exit-code.ts'
import { faultLine } from './fault-line.ts'
import { type Environment, readText } from './read-text.ts'
import { type ConfigSchema, type Variable, variablesOf } from './variable.ts'

/**
 * Reads the configuration from `env`, once, at the start.
 *
 * Throws ConfigError with one line for each invalid variable, all of them at once: its name, its value unless it is a secret, its
 * fault, and the accepted values. Rules that involve several settings are checked only if each setting is valid by itself.
 */
export function parseConfig<Config>(schema: ConfigSchema<Config>, env: Environment): Config {
  const variables = variablesOf(schema)
  const lines = new Map<Variable, string>()
  const texts = new Map<Variable, string | undefined>()
  for (const variable of variables) {
    const result = readText(variable, env)
    if ('text' in result) texts.set(variable, result.text)
    else lines.set(variable, 'line' in result ? result.line : faultLine({ variable, fault: result.fault }))
  }
  const result = parsingTexts(schema, variables).safeParse(nestTexts(schema, texts), {
    error: defaultMessage,
    reportInput: true,
  })
  if (result.success && lines.size === 0) return result.data as Config
  const issues = result.error?.issues ?? []
  const valueIssues = issues.filter(({ input }) => !isGroup(input))
  for (const issue of valueIssues.length + lines.size > 0 ? valueIssues : issues) {
    const variable = variables.find(({ path }) => path.every((name, at) => name === issue.path[at]))
    if (variable === undefined)
      throw new Error(`the path ${issue.path.join('.')} has no variable: ${issue.message}`)
    if (lines.has(variable)) continue
    lines.set(variable, faultLine({ variable, text: texts.get(variable), issue, variables }))
  }
  throw new ConfigError([...lines.values()])
}

/** The schema extended so that it first parses the text of each variable, with all of its rules kept. */
function parsingTexts(
  schema: z.ZodObject,
  variables: readonly Variable[],
  within: readonly string[] = [],
): z.ZodObject {
  const shape = Object.entries(schema.shape).map(([name, inner]) => {
    const field = inner as z.ZodType
    if (field instanceof z.ZodObject) return [name, parsingTexts(field, variables, [...within, name])]
    const at = [...within, name].join('.')
    const variable = variables.find(({ path }) => path.join('.') === at)
    return [name, variable === undefined ? field : variable.reader.optional().pipe(field)]
  })
  return z.core.clone(schema, { ...schema._zod.def, shape: Object.fromEntries(shape) })
}

/** The texts in the structure of the configuration. */
function nestTexts(schema: z.ZodObject, texts: ReadonlyMap<Variable, string | undefined>): object {
  const groups = Object.keys(schema.shape).filter((name) => schema.shape[name] instanceof z.ZodObject)
  const values: Record<string, unknown> = Object.fromEntries(groups.map((name) => [name, {}]))
  for (const [{ path }, text] of texts) {
    const [first = '', setting] = path
    if (setting === undefined) values[first] = text
    else Object.assign(values[first] as object, { [setting]: text })
  }
  return values
}

/** The message of an issue that has none in the schema. */
const defaultMessage: z.core.$ZodErrorMap = ({ code, input }) => {
  if (input === undefined) return 'is not set'
  if (code === 'too_small') return 'is too small'
  const isInfinite = code === 'invalid_type' && typeof input === 'number'
  return code === 'too_big' || isInfinite ? 'is too large' : 'is not accepted'
}

/** Whether an issue concerns a group of settings, as a rule that involves several settings does. */
function isGroup(input: unknown): boolean {
  return typeof input === 'object' && !Array.isArray(input)
}
