import { readFileSync } from 'node:fs'
import { errorCodeOf } from '../explain-error.ts'
import type { Variable } from './variable.ts'

/** The environment as Node gives it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A variable's text, what is wrong with it, or the whole line about the variable that names its file. */
export type ReadText =
  | { readonly text: string | undefined }
  | { readonly fault: string }
  | { readonly line: string }

/**
 * A variable that is set to nothing or to white space counts as unset; white space around a value is dropped. A secret
 * may come from the file that `NAME_FILE` names. A secret that is set and empty is refused: treating it as unset would
 * leave a process unprotected that somebody meant to protect.
 */
export function readText({ name, secrecy }: Pick<Variable, 'name' | 'secrecy'>, env: Environment): ReadText {
  return secrecy === 'secret' ? readSecret(name, env) : { text: valueOf(name, env) }
}

function valueOf(name: string, env: Environment): string | undefined {
  return env[name]?.trim() || undefined
}

function readSecret(name: string, env: Environment): ReadText {
  const text = valueOf(name, env)
  const file = valueOf(`${name}_FILE`, env)
  if (text === undefined && env[name] !== undefined) return { fault: 'is set and empty' }
  if (file === undefined && env[`${name}_FILE`] !== undefined) {
    return { line: `${name}_FILE is set and empty; accepted: the path of a file that holds the value` }
  }
  if (file === undefined) return oneLine(text)
  if (text !== undefined) return { line: `${name}_FILE is set beside ${name}; accepted: one of the two` }
  return readSecretFile(`${name}_FILE`, file)
}

function readSecretFile(variable: string, file: string): ReadText {
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

/** Refuses a secret with two lines: its file holds more than was meant, and URL parsers drop the line break silently. */
function oneLine(text: string | undefined): ReadText {
  return text !== undefined && /[\r\n]/.test(text) ? { fault: 'holds a line break' } : { text }
}
