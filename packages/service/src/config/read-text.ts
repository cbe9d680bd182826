import { readFileSync } from 'node:fs'
import { errorCodeOf } from '../explain-error.ts'
import type { Variable } from './variable.ts'

/** The environment, in the form of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The text of a variable, its fault, or the complete line about the variable that names its file. */
export type ReadTextResult =
  | { readonly text: string | undefined }
  | { readonly fault: string }
  | { readonly line: string }

/**
 * Reads the text of a variable. A variable that is empty or white space counts as unset; white space around a value is dropped. A
 * secret may come from the file that `NAME_FILE` names. An empty secret is refused: treating it as unset would leave a process
 * unprotected that was meant to be protected.
 */
export function readText(
  { name, secrecy }: Pick<Variable, 'name' | 'secrecy'>,
  env: Environment,
): ReadTextResult {
  return secrecy === 'secret' ? readSecret(name, env) : { text: valueOf(name, env) }
}

function valueOf(name: string, env: Environment): string | undefined {
  return env[name]?.trim() || undefined
}

function readSecret(name: string, env: Environment): ReadTextResult {
  const text = valueOf(name, env)
  const file = valueOf(`${name}_FILE`, env)
  if (text === undefined && env[name] !== undefined) return { fault: 'is set and empty' }
  if (file === undefined && env[`${name}_FILE`] !== undefined) {
    return { line: `${name}_FILE is set and empty; accepted: the path of a file with the value` }
  }
  if (file === undefined) return oneLine(text)
  if (text !== undefined)
    return { line: `${name}_FILE and ${name} are both set; accepted: only one of the two` }
  return readSecretFile(`${name}_FILE`, file)
}

function readSecretFile(variable: string, file: string): ReadTextResult {
  const named = `${variable} ${JSON.stringify(file)}`
  try {
    const content = readFileSync(file, 'utf8').trim()
    if (content !== '') return oneLine(content)
    return { line: `${named} is an empty file; accepted: a file with the value` }
  } catch (error) {
    const reason = errorCodeOf(error) ?? 'unknown error'
    return { line: `${named} cannot be read (${reason}); accepted: a readable file` }
  }
}

/** Refuses a secret with a line break: its file has more than the secret, and URL parsers silently drop line breaks. */
function oneLine(text: string | undefined): ReadTextResult {
  return text !== undefined && /[\r\n]/.test(text) ? { fault: 'has a line break' } : { text }
}
