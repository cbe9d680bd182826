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
 * that is set to nothing or to white space counts as unset; white space around a value is dropped; a secret
 * may come from the file that `NAME_FILE` names.
 *
 * Throws ConfigError with one line for each bad variable, all of them at once: its name, its value unless
 * that is a secret, what is wrong, and what is accepted.
 */
export function parseConfig<Config>(schema: ConfigSchema<Config>, env: Environment): Config {
  const faults = new Map<string, string>()
  const values: Record<string, string | undefined> = {}
  for (const name of Object.keys(schema.shape)) {
    const read = isSecret(schema, name) ? readSecret(name, env) : { text: readVariable(name, env) }
    if ('fault' in read) faults.set(name, read.fault)
    else values[name] = read.text
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

type ReadText = { readonly text: string | undefined } | { readonly fault: string }

function readSecret(name: string, env: Environment): ReadText {
  const text = readVariable(name, env)
  const file = readVariable(`${name}_FILE`, env)
  if (file === undefined) return { text }
  if (text !== undefined) return { fault: `${name}_FILE is set beside ${name}; accepted: one of the two` }
  try {
    const content = readFileSync(file, 'utf8').trim()
    if (content !== '') return { text: content }
    return {
      fault: `${name}_FILE ${JSON.stringify(file)} is an empty file; accepted: a file that holds the value`,
    }
  } catch (error) {
    const reason = errorCodeOf(error) ?? 'unknown error'
    const fault = `${name}_FILE ${JSON.stringify(file)} cannot be read (${reason})`
    return { fault: `${fault}; accepted: a readable file` }
  }
}
