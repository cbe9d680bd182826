import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { errorCodeOf } from '../explain-error.ts'
import { ConfigError } from './config-error.ts'
import { variableDocs } from './variable.ts'

/**
 * A schema whose keys are the names of environment variables. Rules across variables are refinements with a
 * path.
 */
export type ConfigSchema<Config> = z.ZodObject & z.ZodType<Config>

/** The environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the configuration from `env`, once, at start. The schema's keys are the variables' names. A variable
 * that is set to nothing or to white space counts as unset; white space around a value is dropped. A secret
 * may come from the file that `NAME_FILE` names; one that is set and empty is refused, because a process that took it
 * for none would stand open where somebody meant to close it.
 *
 * Throws ConfigError with one line for each bad variable, all of them at once: its name, its value unless
 * that is a secret, what is wrong, and what is accepted.
 */
export function parseConfig<Config>(schema: ConfigSchema<Config>, env: Environment): Config {
  const faults = new Map<string, string>()
  const values: Record<string, string | undefined> = {}
  for (const name of Object.keys(schema.shape)) {
    if (!isSecret(schema, name)) values[name] = readVariable(name, env)
    else {
      const read = readSecret(name, env)
      if ('text' in read) values[name] = read.text
      else faults.set(name, 'line' in read ? read.line : describeFault(schema, { name, message: read.fault }))
    }
  }
  const result = schema.safeParse(values)
  if (result.success && faults.size === 0) return result.data
  for (const issue of result.error?.issues ?? []) {
    const name = String(issue.path[0] ?? 'configuration')
    if (!faults.has(name)) faults.set(name, describeFault(schema, { name, message: issue.message }))
  }
  throw new ConfigError([...faults.values()])
}

function describeFault(
  schema: z.ZodObject,
  fault: { readonly name: string; readonly message: string },
): string {
  const variable = schema.shape[fault.name]
  const docs = variable && variableDocs.get(variable)
  return `${fault.name} ${fault.message}${docs ? `; accepted: ${docs.accepted}` : ''}`
}

function isSecret(schema: z.ZodObject, name: string): boolean {
  const variable = schema.shape[name]
  return variable !== undefined && variableDocs.get(variable)?.secrecy === 'secret'
}

function readVariable(name: string, env: Environment): string | undefined {
  return env[name]?.trim() || undefined
}

/** A secret's text, what is wrong with it, or the whole line about the variable that names its file. */
type ReadSecret =
  | { readonly text: string | undefined }
  | { readonly fault: string }
  | { readonly line: string }

function readSecret(name: string, env: Environment): ReadSecret {
  const text = readVariable(name, env)
  const file = readVariable(`${name}_FILE`, env)
  if (text === undefined && env[name] !== undefined) return { fault: 'is set and empty' }
  if (file === undefined && env[`${name}_FILE`] !== undefined) {
    return { line: `${name}_FILE is set and empty; accepted: the path of a file that holds the value` }
  }
  if (file === undefined) return oneLine(text)
  if (text !== undefined) return { line: `${name}_FILE is set beside ${name}; accepted: one of the two` }
  return readSecretFile(`${name}_FILE`, file)
}

function readSecretFile(variable: string, file: string): ReadSecret {
  const named = `${variable} ${JSON.stringify(file)}`
  try {
    const content = readFileSync(file, 'utf8').trim()
    if (content !== '') return oneLine(content)
    return { line: `${named} is an empty file; accepted: a file that holds the value` }
  } catch (error) {
    const reason = errorCodeOf(error) ?? 'unknown error'
    return { line: `${named} cannot be read (${reason}); accepted: a readable file` }
  }
}

/** No secret has two lines: a second one is a file with more in it than was meant, and a URL would swallow the break. */
function oneLine(text: string | undefined): ReadSecret {
  return text !== undefined && /[\r\n]/.test(text) ? { fault: 'holds a line break' } : { text }
}
