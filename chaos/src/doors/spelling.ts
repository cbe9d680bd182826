// How each way to enqueue spells the options of a document, with the misspelling that the document has.
import { toSnakeCase } from '@queue/core/plain'
import { snakeMembers } from './expected-job.ts'
import type { Document } from './drawn-document.ts'
import type { Options } from './option-model.ts'

/** A way to spell the names of options. */
export interface Spelling {
  /** The name of an option. */
  readonly name: (option: string) => string
  /** The name by which somebody who is used to another way would call it. */
  readonly otherName: (option: string) => string
  /** How errors name the parts of an option whose parts have names of their own. */
  readonly partNames?: Readonly<Record<string, readonly string[]>>
}

export const librarySpelling: Spelling = { name: (option) => option, otherName: toSnakeCase }

/** The names of the API and of the parameters in SQL. */
export const snakeSpelling: Spelling = { name: toSnakeCase, otherName: (option) => option }
export const sqlSpelling: Spelling = { ...snakeSpelling, partNames: { unique: ['unique_', 'on_conflict'] } }

/** The name under which a document gives an option, right or wrong. */
export function writtenName({ misspelt }: Document, option: string, { name, otherName }: Spelling): string {
  const right = name(option)
  if (misspelt?.option !== option || misspelt.how === 'members in another case') return right
  const other = otherName(option)
  return misspelt.how === 'in another case' && other !== right ? other : right.slice(0, -1)
}

/** The names of an option of which an error must have one. */
export function namesInErrors(document: Document, option: string, spelling: Spelling): readonly string[] {
  const written = writtenName(document, option, spelling)
  return [written, ...(spelling.partNames?.[option] ?? [])]
}

/** The options of a document by the names of the library. */
export function libraryOptions(document: Document): Options {
  return renamed(document, librarySpelling, (value, isWrong) => (isWrong ? snakeMembers(value) : value))
}

/** The options of a document by the names of the API. */
export function wireOptions(document: Document): Options {
  return renamed(document, snakeSpelling, (value, isWrong) => (isWrong ? value : snakeMembers(value)))
}

/** Whether the members of an option have the names of another way. */
export function hasWrongMembers({ misspelt }: Document, option: string): boolean {
  return misspelt?.option === option && misspelt.how === 'members in another case'
}

/** `write` writes the options whose members have names of their own. */
function renamed(
  document: Document,
  spelling: Spelling,
  write: (value: object, isWrong: boolean) => object,
): Options {
  return Object.fromEntries(
    Object.entries(document.options).map(([option, value]) => [
      writtenName(document, option, spelling),
      option === 'unique' || option === 'retryPolicy'
        ? write(value as object, hasWrongMembers(document, option))
        : value,
    ]),
  )
}

/** A statement that calls the function of the schema with the options of a document. */
export function sqlStatement(
  document: Document,
  kind: string,
): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [kind, JSON.stringify({ text: document.call })]
  const parameters = Object.entries(sqlParameters(document)).map(([name, value]) => {
    values.push(sqlValue(value))
    return `, "${name}" => $${values.length}`
  })
  return { text: `SELECT queue.enqueue($1, $2::jsonb${parameters.join('')}) AS id`, values }
}

/** A part of a unique key is a parameter of its own. */
function sqlParameters(document: Document): Options {
  const { unique, ...others } = document.options
  const parts = Object.entries((unique ?? {}) as Options).map(([part, value]) => {
    const isWrong = document.misspelt?.option === 'unique'
    if (hasWrongMembers(document, 'unique')) return [`unique_${part}`, value]
    const name = part === 'onConflict' ? 'on_conflict' : `unique_${toSnakeCase(part)}`
    return [isWrong && part === 'key' ? name.slice(0, -1) : name, value]
  })
  return { ...wireOptions({ ...document, options: others }), ...Object.fromEntries(parts) }
}

/** PostgreSQL reads years beyond 9999 without a sign. */
function sqlValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString().replace(/^\+0+/, '')
  return typeof value === 'object' ? JSON.stringify(value) : value
}
